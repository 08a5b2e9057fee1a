// Questions to the server that this page came from, and to no other; errors as sentences.

export async function ask<T>(method: "GET" | "POST", path: string, body?: object, signal?: AbortSignal): Promise<T> {
  return (await (await request(method, path, body, signal)).json()) as T;
}

export async function askPage(body: object): Promise<Blob> {
  return (await request("POST", "/page", body)).blob();
}

async function request(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      signal,
      ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server does not answer. Is `glassformer explore` still running?");
  }
  if (answer.ok) return answer;
  const told = (await answer.json().catch(() => null)) as { error?: string } | null;
  throw new Error(told?.error ?? `The server answered ${answer.status}.`);
}
