import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { explorer } from "./lib/state.svelte";

const target = document.getElementById("app");
if (target) {
  target.textContent = "";
  mount(App, { target });
  void explorer.start();
}
