// One step of decoding on packed weights: the arithmetic of decoder.py and candidates.py, without torch's cost per call.
//
// Called from linear.py and stepper.py through a plain C interface. Rows are float32, one after another; N rows of width D are written
// [N, D] as everywhere. Each row is computed by itself, in an order that does not depend on the rows beside it: a
// sentence's translation cannot depend on its neighbours.
//
// Compiled once for the processor at hand (-O3 -march=native -fopenmp-simd).

#include <vector>

#include "vectors.h"

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#include <immintrin.h>
#endif

namespace {

// ---------------------------------------------------------------------------------------------------------- the processor

constexpr int VECTORS = LANES == 8 ? 2 : 4;  // registers that hold one row of results while a product is added up
constexpr int ROWS = 6;                  // rows whose results are added up at the same time
constexpr int PANEL = LANES * VECTORS;   // outputs that are added up at the same time
constexpr long CACHED = 1 << 20;         // bytes of rows that stay in the cache while all panels of the weights pass by

using Ints = int32_t __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(4), may_alias));

// total[i] += four unsigned bytes times four signed ones, for every lane i; the unsigned four are the same in all lanes.
#if defined(__AVX512VNNI__)
constexpr bool HAS_INT8 = true;
inline Ints add_dot4(Ints total, int32_t four, const int8_t* weights) {
    return (Ints)_mm512_dpbusd_epi32((__m512i)total, _mm512_set1_epi32(four), _mm512_loadu_si512(weights));
}
#elif defined(__AVXVNNI__)
constexpr bool HAS_INT8 = true;
inline Ints add_dot4(Ints total, int32_t four, const int8_t* weights) {
    return (Ints)_mm256_dpbusd_avx_epi32((__m256i)total, _mm256_set1_epi32(four), _mm256_loadu_si256((const __m256i*)weights));
}
#else
constexpr bool HAS_INT8 = false;
inline Ints add_dot4(Ints total, int32_t four, const int8_t* weights) {
    uint8_t bytes[4];
    std::memcpy(bytes, &four, 4);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 4; i++) total[lane] += int32_t(bytes[i]) * weights[4 * lane + i];
    return total;
}
#endif

// ----------------------------------------------------------------------------------------------------------- linear maps

constexpr float STEPS = 127.0f;  // as in int8.py: a row's largest number becomes 127 steps from zero, to either side
constexpr int ZERO = 128;        // activations are unsigned bytes: zero stands in the middle
constexpr float SMALLEST = 1e-20f;

// rows @ weight.T + bias. Weights are packed in panels of PANEL outputs, in the order in which the product reads them.
struct Linear {
    int in, out, panels, fours;   // fours: groups of four inputs, as bytes are multiplied
    bool bytes;
    Memory<float> numbers;        // [panel, in, PANEL], float32
    Memory<int8_t> small;         // [panel, four, PANEL, 4], int8
    std::vector<float> bias;      // [panels * PANEL]
    std::vector<float> scale;     // [panels * PANEL], of an output's bytes
    std::vector<int32_t> shift;   // [panels * PANEL], what ZERO added to every product of an output

    Linear(const float* weight, const float* bias_, int out, int in, bool bytes)
        : in(in), out(out), panels((out + PANEL - 1) / PANEL), fours((in + 3) / 4), bytes(bytes), bias(panels * PANEL) {
        if (bias_) std::copy(bias_, bias_ + out, bias.begin());
        if (bytes) pack_bytes(weight);
        else pack_numbers(weight);
    }

    void pack_numbers(const float* weight) {
        const size_t size = size_t(panels) * in * PANEL;
        numbers = allocate<float>(size);
        std::fill(numbers.get(), numbers.get() + size, 0.0f);
        for (int o = 0; o < out; o++)
            for (int i = 0; i < in; i++)
                numbers[(size_t(o / PANEL) * in + i) * PANEL + o % PANEL] = weight[size_t(o) * in + i];
    }

    void pack_bytes(const float* weight) {
        const size_t size = size_t(panels) * fours * PANEL * 4;
        small = allocate<int8_t>(size);
        std::fill(small.get(), small.get() + size, int8_t(0));
        scale.resize(panels * PANEL);
        shift.resize(panels * PANEL);
        for (int o = 0; o < out; o++) {
            const float* row = weight + size_t(o) * in;
            float largest = SMALLEST;
            for (int i = 0; i < in; i++) largest = std::max(largest, std::fabs(row[i]));
            scale[o] = largest / STEPS;
            for (int i = 0; i < in; i++) {
                const int8_t byte = int8_t(std::nearbyint(row[i] / scale[o]));
                small[((size_t(o / PANEL) * fours + i / 4) * PANEL + o % PANEL) * 4 + i % 4] = byte;
                shift[o] += ZERO * byte;
            }
        }
    }
};

void quantise(const float* rows, long n, const Linear& map, std::vector<uint8_t>& bytes, std::vector<float>& scales) {
    const int width = map.fours * 4;
    bytes.resize(size_t(n) * width);
    scales.resize(n);
    for (long r = 0; r < n; r++) {
        const float* row = rows + r * map.in;
        uint8_t* out = bytes.data() + r * width;
        float largest = SMALLEST;
#pragma omp simd reduction(max : largest)
        for (int i = 0; i < map.in; i++) {
            const float size = std::fabs(row[i]);
            largest = size > largest ? size : largest;
        }
        scales[r] = largest / STEPS;
        const float steps = STEPS / largest;
#pragma omp simd
        for (int i = 0; i < map.in; i++) out[i] = uint8_t(int32_t(std::nearbyint(row[i] * steps)) + ZERO);
        for (int i = map.in; i < width; i++) out[i] = ZERO;
    }
}

// R rows times one panel of the weights: out [R, PANEL].
template <int R>
void multiply(const Linear& map, int panel, const float* rows, float* out) {
    Floats total[R][VECTORS] = {};
    const float* weights = map.numbers.get() + size_t(panel) * map.in * PANEL;
    for (int i = 0; i < map.in; i++, weights += PANEL) {
        Floats column[VECTORS];
        for (int v = 0; v < VECTORS; v++) column[v] = *(const Floats*)(weights + v * LANES);
        for (int r = 0; r < R; r++)
            for (int v = 0; v < VECTORS; v++) total[r][v] += rows[size_t(r) * map.in + i] * column[v];
    }
    const float* bias = map.bias.data() + panel * PANEL;
    for (int r = 0; r < R; r++)
        for (int v = 0; v < VECTORS; v++)
            *(Floats*)(out + r * PANEL + v * LANES) = total[r][v] + *(const Floats*)(bias + v * LANES);
}

template <int R>
void multiply(const Linear& map, int panel, const uint8_t* rows, const float* scales, float* out) {
    Ints total[R][VECTORS] = {};
    const int width = map.fours * 4;
    const int8_t* weights = map.small.get() + size_t(panel) * width * PANEL;
    for (int f = 0; f < map.fours; f++, weights += 4 * PANEL)
        for (int r = 0; r < R; r++) {
            int32_t four;
            std::memcpy(&four, rows + size_t(r) * width + 4 * f, 4);
            for (int v = 0; v < VECTORS; v++) total[r][v] = add_dot4(total[r][v], four, weights + v * LANES * 4);
        }
    for (int r = 0; r < R; r++)
        for (int v = 0; v < VECTORS; v++) {
            const int o = panel * PANEL + v * LANES;
            const Ints exact = total[r][v] - *(const Ints*)(map.shift.data() + o);
            const Floats scale = *(const Floats*)(map.scale.data() + o) * scales[r];
            *(Floats*)(out + r * PANEL + v * LANES) =
                __builtin_convertvector(exact, Floats) * scale + *(const Floats*)(map.bias.data() + o);
        }
}

// Call use(row, first output, number of outputs, their values, which it may change) for all results of a map, panel by panel.
template <class Use>
void for_results(const Linear& map, const float* rows, long n, Use use) {
    thread_local std::vector<uint8_t> bytes;
    thread_local std::vector<float> scales;
    alignas(64) float results[ROWS * PANEL];
    if (map.bytes) quantise(rows, n, map, bytes, scales);
    const long row_bytes = map.bytes ? map.fours * 4 : map.in * long(sizeof(float));
    const long n_chunks = (n * row_bytes + CACHED - 1) / CACHED;
    const long chunk = n_chunks ? ((n + n_chunks - 1) / n_chunks + ROWS - 1) / ROWS * ROWS : ROWS;
    for (long begin = 0; begin < n; begin += chunk) {
        const long end = std::min(n, begin + chunk);
        for (int panel = 0; panel < map.panels; panel++) {
            for (long row = begin; row < end; row += ROWS) {
                const int count = int(std::min<long>(ROWS, end - row));
                const float* numbers = rows + row * map.in;
                const uint8_t* small = bytes.data() + row * map.fours * 4;
                const float* scale = scales.data() + row;
#define TIMES(R) map.bytes ? multiply<R>(map, panel, small, scale, results) : multiply<R>(map, panel, numbers, results)
                switch (count) {
                    case 1: TIMES(1); break;
                    case 2: TIMES(2); break;
                    case 3: TIMES(3); break;
                    case 4: TIMES(4); break;
                    case 5: TIMES(5); break;
                    default: TIMES(6);
                }
#undef TIMES
                const int first = panel * PANEL;
                for (int r = 0; r < count; r++) use(row + r, first, std::min(PANEL, map.out - first), results + r * PANEL);
            }
        }
    }
}

// rows [n, in] -> out [n, out].
void run(const Linear& map, const float* rows, long n, float* out) {
    for_results(map, rows, n, [&](long row, int first, int count, const float* results) {
        std::memcpy(out + row * map.out + first, results, count * sizeof(float));
    });
}

// The same, added to what out holds.
void add(const Linear& map, const float* rows, long n, float* out) {
    for_results(map, rows, n, [&](long row, int first, int count, const float* results) {
        float* to = out + row * map.out + first;
        for (int i = 0; i < count; i++) to[i] += results[i];
    });
}

// ------------------------------------------------------------------------------------------------- the parts of a layer

enum Activation : int32_t { RELU, GELU, SILU };
enum NormKind : int32_t { NONE, LAYER, RMS };

struct Norm {
    int32_t kind;
    float eps;
    const float* weight;  // [D]
    const float* bias;    // [D], or none

    void run(const float* from, long n, int width, float* to) const {
        for (long r = 0; r < n; r++, from += width, to += width) {
            if (kind == NONE) {
                std::copy(from, from + width, to);
                continue;
            }
            float sum = 0, squares = 0;
            if (kind == LAYER) {
#pragma omp simd reduction(+ : sum)
                for (int i = 0; i < width; i++) sum += from[i];
            }
            const float mean = sum / width;
#pragma omp simd reduction(+ : squares)
            for (int i = 0; i < width; i++) squares += (from[i] - mean) * (from[i] - mean);
            const float factor = 1.0f / std::sqrt(squares / width + eps);
            for (int i = 0; i < width; i++) {
                const float scaled = (from[i] - mean) * factor * weight[i];
                to[i] = bias ? scaled + bias[i] : scaled;
            }
        }
    }
};

void activate(int32_t kind, float* x, int n) {
    if (kind == RELU)
        for (int i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0;
    else if (kind == SILU)
        for (int i = 0; i < n; i++) x[i] = x[i] / (1.0f + exp_of(-x[i]));
    else
        for (int i = 0; i < n; i++) x[i] = 0.5f * x[i] * (1.0f + std::erf(x[i] * 0.70710678f));
}

// What all heads of one row see. Place k is `seen[k]`: keys [D], then values [D]. E: a head's width, if known.
template <int E>
void attend(const float* query, const std::vector<const float*>& seen, int n_heads, int head_width,
            std::vector<float>& weights, float* __restrict out) {
    const int width = E ? E : head_width, d_model = n_heads * width, n = int(seen.size());
    weights.resize(size_t(n_heads) * n);
    for (int k = 0; k < n; k++)  // place by place: its heads stand side by side
        for (int head = 0; head < n_heads; head++) {
            const float *one = query + head * width, *other = seen[k] + head * width;
            float score = 0;  // the queries' weights hold 1 / sqrt(E) already
#pragma omp simd reduction(+ : score)
            for (int e = 0; e < width; e++) score += one[e] * other[e];
            weights[head * n + k] = score;
        }
    for (int head = 0; head < n_heads; head++) {
        float* row = weights.data() + head * n;
        const float largest = largest_of(row, n);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < n; k++) sum += row[k] = exp_of(row[k] - largest);
        for (int k = 0; k < n; k++) row[k] /= sum;
    }
    std::fill(out, out + d_model, 0.0f);
    for (int k = 0; k < n; k++)
        for (int head = 0; head < n_heads; head++) {
            const float weight = weights[head * n + k];
            const float* value = seen[k] + d_model + head * width;
            for (int e = 0; e < width; e++) out[head * width + e] += weight * value[e];
        }
}

// ------------------------------------------------------------------------------------------------------- the decoder

struct Layer {
    const Linear *qkv, *out, *query, *cross_out, *widen, *narrow;
    Norm norm, cross_norm, feed_forward_norm;
};

// Filled in by stepper.py, field by field in this order.
struct Decoder {
    int32_t d_model, n_heads, n_layers, d_ff, activation, pre_norm, rotary;
    float embedding_scale;
    const float* embeddings;  // [V, D]
    const float* positions;   // [max_length, D]; rotary: cosines [max_length, E / 2]
    const float* sines;       // rotary: [max_length, E / 2]
    const Linear* cross;      // memory -> keys and values of all layers: [N, D] -> [N, layer * 2 * D]
    const Layer* layers;
    Norm final_norm;
};

// Keys and values of one place of the target, for all layers and all rows that there were: [layer, row, 2, D].
struct Place {
    long n_rows;
    std::vector<int> first_row;  // of each sentence; its beams follow
    Memory<float> store;
};

// A batch of sentences being continued: one row a sentence at first, then equally many rows (beams) to each.
//
// Nothing is ever moved: a row knows which beam of each earlier place is its own past, and a sentence that stays knows
// where it stood when the batch began.
struct Batch {
    const Decoder& decoder;
    const int width, n_heads, head_width;
    const int n_sentences, n_places;       // of the source, when the batch began
    std::vector<int> lengths;              // of each sentence, its places that are not padding
    Memory<float> source;                  // keys and values of those: [layer, sentence, place, 2, D]
    std::vector<int> sentences;            // where each sentence that is left stood at first
    std::vector<Place> places;
    std::vector<int> past;                 // [row, place]: the beam of that place from which the row comes
    std::vector<float> normed, wide, mixture, weights;
    std::vector<const float*> seen;

    Batch(const Decoder& decoder, int n_sentences, int n_places, const float* memory, const uint8_t* real);
    void advance(const int64_t* tokens, const int64_t* parents, long n, float* x);
    void keep(const int64_t* rows, long n);
    template <class Show> void look(long n, int stride, Show show);
};

Batch::Batch(const Decoder& decoder, int n_sentences, int n_places, const float* memory, const uint8_t* real)
    : decoder(decoder), width(decoder.d_model), n_heads(decoder.n_heads), head_width(width / n_heads),
      n_sentences(n_sentences), n_places(n_places), lengths(n_sentences),
      source(allocate<float>(size_t(decoder.n_layers) * n_sentences * n_places * 2 * width)) {
    std::vector<int> kept(size_t(n_sentences) * n_places, -1);  // where a place stands without the padding; -1: it is
    for (int s = 0; s < n_sentences; s++) {
        sentences.push_back(s);
        for (int p = 0; p < n_places; p++)
            if (real[s * n_places + p]) kept[s * n_places + p] = lengths[s]++;
    }
    for_results(*decoder.cross, memory, long(kept.size()), [&](long row, int first, int count, const float* results) {
        if (kept[row] < 0) return;
        for (int done = 0; done < count;) {  // what is one layer's at a time
            const int layer = (first + done) / (2 * width), column = (first + done) % (2 * width);
            const int n = std::min(2 * width - column, count - done);
            const size_t place = (size_t(layer) * n_sentences + row / n_places) * n_places + kept[row];
            std::memcpy(source.get() + place * 2 * width + column, results + done, n * sizeof(float));
            done += n;
        }
    });
}

void rotate(float* heads, int n_heads, int head_width, const float* cosines, const float* sines) {
    const int half = head_width / 2;
    for (int h = 0; h < n_heads; h++, heads += head_width)
        for (int j = 0; j < half; j++) {
            const float first = heads[j], second = heads[j + half];
            heads[j] = first * cosines[j] - second * sines[j];
            heads[j + half] = second * cosines[j] + first * sines[j];
        }
}

// Let every row look at the places that `show(row)` puts into `seen`. Queries in wide [n, stride] -> mixture [n, D].
template <class Show>
void Batch::look(long n, int stride, Show show) {
    const auto run = head_width == 64 ? attend<64> : head_width == 32 ? attend<32> : attend<0>;
    for (long row = 0; row < n; row++) {
        show(row);
        run(wide.data() + row * stride, seen, n_heads, head_width, weights, mixture.data() + row * width);
    }
}

// Row i goes on from what was row parents[i] (none: from itself) with tokens[i]; x [n, D] is what is projected to logits.
void Batch::advance(const int64_t* tokens, const int64_t* parents, long n, float* x) {
    const int beams = int(n / long(sentences.size())), t = int(places.size());
    places.push_back({n, std::vector<int>(n_sentences), allocate<float>(size_t(decoder.n_layers) * n * 2 * width)});
    for (size_t i = 0; i < sentences.size(); i++) places[t].first_row[sentences[i]] = int(i) * beams;

    std::vector<int> inherited(n * (t + 1));
    for (long row = 0; row < n; row++) {
        const int* of_parent = past.data() + (parents ? parents[row] : row) * t;
        std::copy(of_parent, of_parent + t, inherited.data() + row * (t + 1));
        inherited[row * (t + 1) + t] = int(row % beams);
    }
    past.swap(inherited);

    for (long row = 0; row < n; row++) {
        const float* embedding = decoder.embeddings + tokens[row] * width;
        for (int i = 0; i < width; i++) {
            const float place = decoder.rotary ? 0.0f : decoder.positions[size_t(t) * width + i];
            x[row * width + i] = embedding[i] * decoder.embedding_scale + place;
        }
    }

    const size_t size = size_t(n) * width;
    normed.resize(size);
    mixture.resize(size);
    for (int l = 0; l < decoder.n_layers; l++) {
        const Layer& layer = decoder.layers[l];
        // A sub-layer reads its input normed (pre-norm) or as it is, and its result joins x; post-norm norms the sum.
        const auto input = [&](const Norm& norm) -> const float* {
            if (!decoder.pre_norm) return x;
            norm.run(x, n, width, normed.data());
            return normed.data();
        };
        const auto join = [&](const Linear& map, const float* rows, const Norm& norm) {
            add(map, rows, n, x);
            if (!decoder.pre_norm) norm.run(x, n, width, x);
        };

        wide.resize(3 * size);
        run(*layer.qkv, input(layer.norm), n, wide.data());
        for (long row = 0; row < n; row++) {
            float* qkv = wide.data() + row * 3 * width;
            if (decoder.rotary) {
                const size_t turn = size_t(t) * (head_width / 2);
                rotate(qkv, n_heads, head_width, decoder.positions + turn, decoder.sines + turn);
                rotate(qkv + width, n_heads, head_width, decoder.positions + turn, decoder.sines + turn);
            }
            float* to = places[t].store.get() + (size_t(l) * n + row) * 2 * width;
            std::memcpy(to, qkv + width, 2 * width * sizeof(float));
        }
        look(n, 3 * width, [&](long row) {
            seen.resize(t + 1);
            for (int k = 0; k <= t; k++) {
                const long earlier = places[k].first_row[sentences[row / beams]] + past[row * (t + 1) + k];
                seen[k] = places[k].store.get() + (size_t(l) * places[k].n_rows + earlier) * 2 * width;
            }
        });
        join(*layer.out, mixture.data(), layer.norm);

        run(*layer.query, input(layer.cross_norm), n, wide.data());
        look(n, width, [&](long row) {
            const int sentence = sentences[row / beams];
            seen.resize(lengths[sentence]);
            const float* first = source.get() + (size_t(l) * n_sentences + sentence) * n_places * 2 * width;
            for (size_t k = 0; k < seen.size(); k++) seen[k] = first + k * 2 * width;
        });
        join(*layer.cross_out, mixture.data(), layer.cross_norm);

        const int wider = decoder.d_ff;
        wide.resize(std::max(wide.size(), size_t(n) * wider));
        const auto widen = [&](long row, int first, int count, float* results) {
            // Gated, the map gives the gate and, after it, what it lets through.
            if (first < wider) activate(decoder.activation, results, std::min(count, wider - first));
            float* to = wide.data() + row * wider;
            for (int i = 0; i < count; i++) {
                if (first + i < wider) to[first + i] = results[i];
                else to[first + i - wider] *= results[i];
            }
        };
        for_results(*layer.widen, input(layer.feed_forward_norm), n, widen);
        join(*layer.narrow, wide.data(), layer.feed_forward_norm);
    }
    decoder.final_norm.run(x, n, width, x);
}

// Keep these sentences (their numbers), with all their rows, in this order; forget the others.
void Batch::keep(const int64_t* rows, long n) {
    const size_t stride = past.size() / sentences.size();  // of the past of all beams of a sentence
    std::vector<int> kept, their_past;
    for (long i = 0; i < n; i++) {
        const int* of_sentence = past.data() + rows[i] * stride;
        kept.push_back(sentences[rows[i]]);
        their_past.insert(their_past.end(), of_sentence, of_sentence + stride);
    }
    sentences.swap(kept);
    past.swap(their_past);
}

// --------------------------------------------------------------------------------------------------- the best tokens

// What is known of one row's logits so far: the sum behind the softmax, and the best that may be chosen, the best first.
struct Ranking {
    float largest = -INFINITY, sum = 0;
    int found = 0;
};

// The k likeliest tokens of each row and their log-probabilities, [n, k] each, the best first; logits are never stored.
void best_tokens(const Linear& map, const float* rows, long n, int k, const int64_t* barred, int n_barred, float* values,
                 int64_t* ids) {
    std::vector<Ranking> rankings(n);
    std::fill(values, values + n * k, -INFINITY);
    std::fill(ids, ids + n * k, 0);
    for_results(map, rows, n, [&](long row, int first, int count, const float* logits) {
        Ranking& ranking = rankings[row];
        float* best = values + row * k;
        int64_t* tokens = ids + row * k;
        const float largest = largest_of(logits, count);
        if (largest > ranking.largest) {
            ranking.sum *= exp_of(ranking.largest - largest);
            ranking.largest = largest;
        }
        if (ranking.largest == -INFINITY) return;  // nothing but impossible tokens yet
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < count; i++) sum += exp_of(logits[i] - ranking.largest);
        ranking.sum += sum;
        if (!(largest > best[k - 1])) return;
        for (int i = 0; i < count; i++) {
            const int64_t token = first + i;
            if (!(logits[i] > best[k - 1])) continue;  // written so that what is not a number is never chosen
            if (std::find(barred, barred + n_barred, token) != barred + n_barred) continue;
            int place = std::min(ranking.found, k - 1);
            for (; place > 0 && best[place - 1] < logits[i]; place--) {
                best[place] = best[place - 1];
                tokens[place] = tokens[place - 1];
            }
            best[place] = logits[i];
            tokens[place] = token;
            ranking.found = std::min(ranking.found + 1, k);
        }
    });
    for (long row = 0; row < n; row++) {
        const float log_sum = rankings[row].largest + std::log(rankings[row].sum);
        for (int i = 0; i < k; i++) values[row * k + i] -= log_sum;
    }
}

}  // namespace

// ----------------------------------------------------------------------------------------------------- what Python calls

extern "C" {

int32_t has_int8() { return HAS_INT8; }

Linear* linear_new(const float* weight, const float* bias, int32_t out, int32_t in, int32_t bytes) {
    Linear* made = nullptr;
    told([&] { made = new Linear(weight, bias, out, in, bytes); });
    return made;
}
int32_t linear_run(const Linear* map, const float* rows, int64_t n, float* out) {
    return told([&] { run(*map, rows, n, out); });
}
void linear_free(Linear* map) { delete map; }

// memory [sentences * places, D]; real [sentences, places]: which places of the source are not padding.
Batch* batch_new(const Decoder* decoder, int32_t n_sentences, int32_t n_places, const float* memory, const uint8_t* real) {
    Batch* made = nullptr;
    told([&] { made = new Batch(*decoder, n_sentences, n_places, memory, real); });
    return made;
}
int32_t batch_advance(Batch* batch, const int64_t* tokens, const int64_t* parents, int64_t n, float* hidden) {
    return told([&] { batch->advance(tokens, parents, n, hidden); });
}
int32_t batch_keep(Batch* batch, const int64_t* rows, int64_t n) {
    return told([&] { batch->keep(rows, n); });
}
void batch_free(Batch* batch) { delete batch; }

int32_t best_of(const Linear* map, const float* rows, int64_t n, int32_t k, const int64_t* barred, int32_t n_barred,
                float* values, int64_t* ids) {
    return told([&] { best_tokens(*map, rows, n, k, barred, n_barred, values, ids); });
}
}
