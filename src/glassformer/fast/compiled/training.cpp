// Attention of short sentences and the vocabulary's loss, with their gradients: for training on a CPU, where torch needs a
// dozen passes over memory for each. The arithmetic of nn/dot_product.py, nn/positions.py, nn/dropout.py and training/loss.py.
//
// Called from attention.py and loss.py through a plain C interface. Numbers come and go as float32 or bfloat16, whatever
// torch calculates in; between, everything is float32. Each head of each sentence, and each row of logits, is computed by
// itself: how many threads share the work changes no bit.

#include <dlfcn.h>

#include <atomic>

#include "vectors.h"

namespace {

// ------------------------------------------------------------------------------------------------------ numbers of torch

struct Bfloat16 {
    uint16_t bits;  // the upper half of a float32
};

inline float to_float(float x) { return x; }
inline float to_float(Bfloat16 x) {
    const uint32_t bits = uint32_t(x.bits) << 16;
    float number;
    std::memcpy(&number, &bits, 4);
    return number;
}

inline void put(float* to, float x) { *to = x; }
inline void put(Bfloat16* to, float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);  // to the nearest, ties to even
    to->bits = uint16_t((x != x ? bits | 0x400000 : rounded) >> 16);  // rounded, a NaN might become infinite
}

// ---------------------------------------------------------------------------------------------------------------- threads

// The threads that torch has already, and that wait for their next loop spinning: others would have to share their cores.
using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);

Parallel torchs_threads() { return reinterpret_cast<Parallel>(dlsym(RTLD_DEFAULT, "GOMP_parallel")); }

// work(i) for all i below n, in any order; by this thread alone where the others cannot be had. Every thread calls begin()
// for a `work` of its own, and then comes again for some more: about eight times, so that a quick one helps a slow one.
template <class Begin>
int32_t for_all(long n, int n_threads, Begin begin) {
    static const Parallel parallel = torchs_threads();
    struct Shared {
        long n, at_once;
        Begin& begin;
        std::atomic<long> next{0};
        std::atomic<int32_t> failed{0};
    } shared{n, std::max(1L, n / (8L * n_threads)), begin};
    const auto run = [](void* given) {
        Shared& shared = *static_cast<Shared*>(given);
        shared.failed |= told([&] {
            auto work = shared.begin();
            for (long first; (first = shared.next.fetch_add(shared.at_once)) < shared.n;)
                for (long i = first; i < std::min(shared.n, first + shared.at_once); i++) work(i);
        });
    };
    if (parallel && n_threads > 1) parallel(run, &shared, unsigned(n_threads), 0);
    else run(&shared);
    return shared.failed;
}

// --------------------------------------------------------------------------------------------------------------- products

constexpr int ROWS = 4;  // rows whose results are added up at the same time

constexpr int up_to(int n, int step) { return (n + step - 1) / step * step; }

// A small matrix in float32. Rows are padded to whole registers, and there are as many as are added up at once. Products
// read and write the padding too; what stands there is read by nothing else.
struct Matrix {
    const int stride;
    Memory<float> numbers;

    Matrix(int rows, int columns)
        : stride(up_to(columns, LANES)), numbers(allocate<float>(size_t(up_to(rows, ROWS)) * stride)) {
        std::fill(row(0), row(up_to(rows, ROWS)), 0.0f);
    }
    float* row(int r) { return numbers.get() + size_t(r) * stride; }
    const float* row(int r) const { return numbers.get() + size_t(r) * stride; }
};

template <int WIDE>
inline void multiply(int inner, const float* left, long by_row, long by_inner, const float* right, long stride, float* to) {
    Floats total[ROWS][WIDE] = {};
    for (int i = 0; i < inner; i++, left += by_inner, right += stride)
        for (int w = 0; w < WIDE; w++) {
            const Floats line = *(const Floats*)(right + w * LANES);
            for (int r = 0; r < ROWS; r++) total[r][w] += left[r * by_row] * line;
        }
    for (int r = 0; r < ROWS; r++)
        for (int w = 0; w < WIDE; w++) *(Floats*)(to + r * stride + w * LANES) = total[r][w];
}

// to [rows, columns] = left [rows, inner] @ right [inner, columns]; turned: left is given as [inner, rows].
inline void multiply(int rows, int inner, const Matrix& left, bool turned, const Matrix& right, Matrix& to) {
    const long by_row = turned ? 1 : left.stride, by_inner = turned ? left.stride : 1, stride = right.stride;
    for (int r = 0; r < rows; r += ROWS) {
        const float *from = left.row(0) + r * by_row, *lines = right.row(0);
        float* sums = to.row(r);
        int done = 0;
        for (; done + 2 * LANES <= stride; done += 2 * LANES)
            multiply<2>(inner, from, by_row, by_inner, lines + done, stride, sums + done);
        if (done < stride) multiply<1>(inner, from, by_row, by_inner, lines + done, stride, sums + done);
    }
}

// -------------------------------------------------------------------------------------------------------------- attention

// Filled in by attention.py, field by field in this order.
struct Attention {
    const void *query, *key, *value;  // [B, Q, H * E], [B, K, H * E] twice
    const uint8_t* visible;           // seen as [B, H, Q, K] by these steps; or none: all is visible
    int64_t visible_by[4];
    const float *cosines, *sines;     // of the rotation, [places, E / 2]; or none
    const int16_t* bits;              // dropout's, [B, H, K, Q]; or none
    int32_t first_kept;               // the lowest bits of a weight that stays
    float scale_of_kept;
    int32_t n_sentences, n_heads, n_queries, n_keys, head_width, is_bfloat16, n_threads;
};

constexpr float OUT_OF_SIGHT = -1e30f;  // far below every score, and yet a number: a compiler makes no vectors of branches

// One head of one sentence after another, and the memory in which it is worked out. Scores and weights stand turned,
// [K, Q]: a softmax is then one register after another, without sums across a register. E: a head's width, if known.
template <class T, int E>
struct Head {
    const Attention& a;
    const int n_queries, n_keys;
    const float scale;
    Matrix query, key, value, turned;  // turned: what is multiplied from the right, [E, Q]
    Matrix hidden;                     // [K, Q]: 0 where visible, else OUT_OF_SIGHT
    Matrix weights, kept, mixture;     // before dropout, [K, Q]; what dropout multiplies them with; [Q, E]
    Matrix by_mixture, by_weights, by_query, by_key, by_value;
    int sentence = -1, head = -1;

    explicit Head(const Attention& a)
        : a(a), n_queries(a.n_queries), n_keys(a.n_keys), scale(1 / std::sqrt(float(a.head_width))),
          query(n_queries, width()), key(n_keys, width()), value(n_keys, width()), turned(width(), n_queries),
          hidden(n_keys, n_queries), weights(n_keys, n_queries), kept(n_keys, n_queries), mixture(n_queries, width()),
          by_mixture(n_queries, width()), by_weights(n_keys, n_queries), by_query(n_queries, width()),
          by_key(n_keys, width()), by_value(n_keys, width()) {}

    int width() const { return E ? E : a.head_width; }
    size_t first(int n_places) const { return (size_t(sentence) * n_places * a.n_heads + head) * width(); }

    void read(const void* from, int n_places, Matrix& to) const {
        const T* line = static_cast<const T*>(from) + first(n_places);
        const int n = width();
        for (int r = 0; r < n_places; r++, line += size_t(a.n_heads) * n) {
            float* row = to.row(r);
#pragma omp simd
            for (int e = 0; e < n; e++) row[e] = to_float(line[e]);
        }
    }
    void write(const Matrix& from, int n_places, void* to) const {
        T* line = static_cast<T*>(to) + first(n_places);
        const int n = width();
        for (int r = 0; r < n_places; r++, line += size_t(a.n_heads) * n) {
            const float* row = from.row(r);
#pragma omp simd
            for (int e = 0; e < n; e++) put(line + e, row[e]);
        }
    }

    // Turn the pairs (column j, column j + E / 2) of each row by its place's angle, forth (1) or back (-1).
    void rotate(Matrix& x, int n_places, float direction) const {
        if (!a.cosines) return;
        const int half = width() / 2;
        for (int r = 0; r < n_places; r++) {
            float *one = x.row(r), *other = one + half;
            const float *cosines = a.cosines + size_t(r) * half, *sines = a.sines + size_t(r) * half;
#pragma omp simd
            for (int j = 0; j < half; j++) {
                const float before = one[j], after = other[j], sine = direction * sines[j];
                one[j] = before * cosines[j] - after * sine;
                other[j] = after * cosines[j] + before * sine;
            }
        }
    }

    void turn(const Matrix& from) {
        const int n = width();
        for (int q = 0; q < n_queries; q++)
            for (int e = 0; e < n; e++) turned.row(e)[q] = from.row(q)[e];
    }

    // Go to a head of a sentence.
    void move_to(long i) {
        const int from_sentence = sentence, from_head = head;
        sentence = int(i / a.n_heads);
        head = int(i % a.n_heads);
        const int64_t* by = a.visible_by;
        const bool is_as_before = (sentence == from_sentence || !by[0]) && (head == from_head || !by[1]);
        if (!a.visible || (from_head >= 0 && is_as_before)) return;
        for (int k = 0; k < n_keys; k++) {
            const uint8_t* visible = a.visible + sentence * by[0] + head * by[1] + k * by[3];
            float* row = hidden.row(k);
            if (by[2] == 0) std::fill(row, row + n_queries, *visible ? 0.0f : OUT_OF_SIGHT);
            else for (int q = 0; q < n_queries; q++) row[q] = visible[q * by[2]] ? 0.0f : OUT_OF_SIGHT;
        }
    }

    // Softmax over the keys that a query may see, 0 for the others: `weights`, and `kept` from dropout's bits.
    void weigh(long i) {
        move_to(i);
        read(a.query, n_queries, query);
        read(a.key, n_keys, key);
        read(a.value, n_keys, value);
        rotate(query, n_queries, 1);
        rotate(key, n_keys, 1);
        turn(query);
        multiply(n_keys, width(), key, false, turned, weights);
        for (int q = 0; q < weights.stride; q += LANES) soften(weights.row(0) + q, hidden.row(0) + q);
        if (!a.bits) return;
        const int16_t* bits = a.bits + size_t(i) * n_keys * n_queries;
        for (int k = 0; k < n_keys; k++, bits += n_queries) {
            float* row = kept.row(k);
#pragma omp simd
            for (int q = 0; q < n_queries; q++) row[q] = bits[q] >= a.first_kept ? a.scale_of_kept : 0.0f;
        }
    }

    // The softmax of a register's queries.
    void soften(float* scores, const float* hidden) const {
        const long stride = weights.stride;
        float largest[LANES], sum[LANES] = {};
        std::fill(largest, largest + LANES, -INFINITY);
        for (int k = 0; k < n_keys; k++)
#pragma omp simd
            for (int q = 0; q < LANES; q++) {
                const float score = hidden[k * stride + q] == 0.0f ? scores[k * stride + q] : OUT_OF_SIGHT;
                scores[k * stride + q] = score;
                largest[q] = score > largest[q] ? score : largest[q];
            }
        for (int k = 0; k < n_keys; k++)
#pragma omp simd
            for (int q = 0; q < LANES; q++) {
                const float part = exp_of((scores[k * stride + q] - largest[q]) * scale);
                scores[k * stride + q] = part * (hidden[k * stride + q] == 0.0f ? 1.0f : 0.0f);
                sum[q] += scores[k * stride + q];
            }
#pragma omp simd
        for (int q = 0; q < LANES; q++) sum[q] = sum[q] == 0.0f ? 0.0f : 1.0f / sum[q];  // 0: it may look nowhere
        for (int k = 0; k < n_keys; k++)
#pragma omp simd
            for (int q = 0; q < LANES; q++) scores[k * stride + q] *= sum[q];
    }

    void drop(Matrix& x) const {
        if (!a.bits) return;
        float* number = x.row(0);
        const float* factor = kept.row(0);
#pragma omp simd
        for (int i = 0; i < n_keys * x.stride; i++) number[i] *= factor[i];
    }

    void forward(long i, void* to) {
        weigh(i);
        drop(weights);
        multiply(n_queries, n_keys, weights, true, value, mixture);
        write(mixture, n_queries, to);
    }

    void backward(long i, const void* by_result, void* to_query, void* to_key, void* to_value) {
        weigh(i);
        read(by_result, n_queries, by_mixture);
        turn(by_mixture);
        multiply(n_keys, width(), value, false, turned, by_weights);
        drop(by_weights);
        for (int q = 0; q < weights.stride; q += LANES) soften_back(weights.row(0) + q, by_weights.row(0) + q);
        drop(weights);
        multiply(n_keys, n_queries, weights, false, by_mixture, by_value);
        multiply(n_queries, n_keys, by_weights, true, key, by_query);
        multiply(n_keys, n_queries, by_weights, false, query, by_key);
        rotate(by_query, n_queries, -1);
        rotate(by_key, n_keys, -1);
        write(by_value, n_keys, to_value);
        write(by_query, n_queries, to_query);
        write(by_key, n_keys, to_key);
    }

    // The gradient by the weights of a register's queries becomes that by their scores.
    void soften_back(const float* shares, float* gradient) const {
        const long stride = weights.stride;
        float mean[LANES] = {};
        for (int k = 0; k < n_keys; k++)
#pragma omp simd
            for (int q = 0; q < LANES; q++) mean[q] += gradient[k * stride + q] * shares[k * stride + q];
        for (int k = 0; k < n_keys; k++)
#pragma omp simd
            for (int q = 0; q < LANES; q++)
                gradient[k * stride + q] = shares[k * stride + q] * (gradient[k * stride + q] - mean[q]) * scale;
    }
};

// use(a Head of the width that is asked for), for all heads of all sentences.
template <class T, int E, class Use>
int32_t for_heads(const Attention& a, Use use) {
    return for_all(long(a.n_sentences) * a.n_heads, a.n_threads, [&] {
        return [use, head = Head<T, E>(a)](long i) mutable { use(head, i); };
    });
}
template <class Use>
int32_t for_heads(const Attention& a, Use use) {
    const bool is_bfloat16 = a.is_bfloat16;
    switch (a.head_width) {
        case 32: return is_bfloat16 ? for_heads<Bfloat16, 32>(a, use) : for_heads<float, 32>(a, use);
        case 64: return is_bfloat16 ? for_heads<Bfloat16, 64>(a, use) : for_heads<float, 64>(a, use);
        default: return is_bfloat16 ? for_heads<Bfloat16, 0>(a, use) : for_heads<float, 0>(a, use);
    }
}

// --------------------------------------------------------------------------------------------------- the vocabulary's loss

// Smoothed cross entropy of a row of logits and its gradient, which takes their place; x is to work in.
template <class T>
void compare(T* row, int n_tokens, int64_t right, float smoothing, float* __restrict x, float& objective, float& nll) {
    const float each = smoothing / n_tokens;  // what the target gives to every token
    float largest = -INFINITY, total = 0, sum = 0;
#pragma omp simd reduction(max : largest) reduction(+ : total)
    for (int t = 0; t < n_tokens; t++) {
        x[t] = to_float(row[t]);
        largest = x[t] > largest ? x[t] : largest;
        total += x[t];
    }
    const float of_right = x[right];
#pragma omp simd reduction(+ : sum)
    for (int t = 0; t < n_tokens; t++) {
        x[t] = exp_of(x[t] - largest);
        sum += x[t];
    }
    const float share = 1.0f / sum;
    nll = largest + std::log(sum) - of_right;
    objective = nll;
    if (smoothing > 0) objective += smoothing * (of_right - total / n_tokens);  // the mean of all tokens' nll, less this
#pragma omp simd
    for (int t = 0; t < n_tokens; t++) put(row + t, x[t] * share - each);
    put(row + right, x[right] * share - each - (1 - smoothing));
}

// Each row of logits [n, V] against the id that is right there.
template <class T>
int32_t compare(T* logits, const int64_t* right, long n, int n_tokens, float smoothing, int n_threads, float* objective,
                float* nll) {
    return for_all(n, n_threads, [&] {
        return [=, x = allocate<float>(n_tokens)](long i) {
            compare(logits + i * n_tokens, n_tokens, right[i], smoothing, x.get(), objective[i], nll[i]);
        };
    });
}

}  // namespace

// ----------------------------------------------------------------------------------------------------- what Python calls

extern "C" {

int32_t attention_forward(const Attention* a, void* mixture) {
    return for_heads(*a, [=](auto& head, long i) { head.forward(i, mixture); });
}
int32_t attention_backward(const Attention* a, const void* by_mixture, void* by_query, void* by_key, void* by_value) {
    return for_heads(*a, [=](auto& head, long i) { head.backward(i, by_mixture, by_query, by_key, by_value); });
}
int32_t loss_compare(void* logits, const int64_t* right, int64_t n, int32_t n_tokens, float smoothing, int32_t is_bfloat16,
                     int32_t n_threads, float* objective, float* nll) {
    if (is_bfloat16) return compare((Bfloat16*)logits, right, n, n_tokens, smoothing, n_threads, objective, nll);
    return compare((float*)logits, right, n, n_tokens, smoothing, n_threads, objective, nll);
}
}
