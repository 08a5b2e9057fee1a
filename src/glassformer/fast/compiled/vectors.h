// What step.cpp and training.cpp share: the registers of the processor, memory, exp.
//
// Everything here has internal linkage: each of the two is compiled by itself.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace {

// Numbers in a vector register.
#if defined(__AVX512F__)
constexpr int LANES = 16;
#elif defined(__AVX__)
constexpr int LANES = 8;
#else
constexpr int LANES = 4;
#endif

using Floats = float __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

// Memory that is not cleared, and begins where a line of the cache does.
struct Free {
    void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Memory = std::unique_ptr<T[], Free>;

template <class T>
Memory<T> allocate(size_t n) {
    constexpr size_t LINE = 64;
    void* memory = std::aligned_alloc(LINE, (n * sizeof(T) + LINE) / LINE * LINE);
    if (!memory) throw std::bad_alloc();
    return Memory<T>(static_cast<T*>(memory));
}

// exp to the last digit or two of a float, in a form that compilers turn into vectors; below -87 it stays at 1e-38. Always
// inline: a loop that calls it a number at a time takes five times as long, and compilers may find it too large.
__attribute__((always_inline)) inline float exp_of(float x) {
    x = std::min(std::max(x, -87.0f), 88.0f);
    const float n = std::nearbyint(x * 1.44269504f);  // x = n ln 2 + r
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;  // the polynomial of the Cephes library
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const uint32_t bits = uint32_t(int32_t(n) + 127) << 23;  // 2^n
    float power;
    std::memcpy(&power, &bits, 4);
    return p * power;
}

inline float largest_of(const float* x, int n) {
    float largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (int i = 0; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    return largest;
}

// C++'s one complaint, told without an exception, which Python could not catch: 0 when all went well, 1 without memory.
template <class Work>
int32_t told(Work work) {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        return 1;
    }
}

}  // namespace
