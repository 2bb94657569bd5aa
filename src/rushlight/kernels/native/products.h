// Products of small matrices, by the loop of products of lines (lines.h): one factor is laid out as lines, of the other four rows at
// a time are taken.
#pragma once

#include <algorithm>
#include <cstddef>

#include "memory.h"

namespace rushlight {

constexpr std::size_t TOGETHER = 4;  // rows
constexpr std::size_t PANEL = 96;    // columns: whole vectors, by threes, of every instruction set

// Where the factor of a row and a term lies.
inline std::size_t place(std::size_t row, std::size_t term, std::size_t rows, std::size_t terms) {
    std::size_t first = row / TOGETHER * TOGETHER;
    return first * terms + term * outputs_at(first, rows) + row - first;
}

// The left factor: of each four rows one term after another.
template <class T> struct Factors {
    std::size_t rows, terms;
    Memory<T> held;

    Factors(std::size_t rows, std::size_t terms) : rows(rows), terms(terms), held((rows + TOGETHER) * terms) {
        if (held) std::fill(held.get(), held.get() + (rows + TOGETHER) * terms, T(0));
    }
    void set(std::size_t row, const T *from) {
        for (std::size_t term = 0; term < terms; term++) held.get()[place(row, term, rows, terms)] = from[term];
    }
    // All rows, which are `pitch` apart.
    void set_rows(const T *from, std::size_t pitch) {
        for (std::size_t first = 0; first < rows; first += TOGETHER) {
            const T *row = from + first * pitch;
            T *to = held.get() + first * terms;
            if (rows - first >= TOGETHER)
                for (std::size_t term = 0; term < terms; term++, to += TOGETHER)
                    for (std::size_t each = 0; each < TOGETHER; each++) to[each] = row[each * pitch + term];
            else
                for (std::size_t each = first; each < rows; each++) set(each, from + each * pitch);
        }
    }
    // The transpose: all terms, `pitch` apart, of which each has a number for every row.
    void set_terms(const T *from, std::size_t pitch) {
        for (std::size_t first = 0; first < rows; first += TOGETHER) {
            std::size_t count = std::min(TOGETHER, rows - first), apart = outputs_at(first, rows);
            T *to = held.get() + first * terms;
            if (count == TOGETHER)
                for (std::size_t term = 0; term < terms; term++) std::copy(from + term * pitch + first, from + term * pitch + first + TOGETHER, to + term * TOGETHER);
            else
                for (std::size_t term = 0; term < terms; term++) std::copy(from + term * pitch + first, from + term * pitch + first + count, to + term * apart);
        }
    }
};

// The right factor: its rows, one for each term, are lines, PANEL columns after one another of all of them.
template <class T> struct Lines {
    std::size_t terms, length, pitch;
    Memory<T> lines;
    Memory<std::size_t> offsets;

    Lines(std::size_t terms, std::size_t length)
        : terms(terms), length(length), pitch(rounded<T>(length) + STEP<T> + 16), lines(size()), offsets(terms) {
        if (!*this) return;
        std::fill(lines.get(), lines.get() + size(), T(0));
        for (std::size_t term = 0; term < terms; term++) offsets.get()[term] = term * PANEL;
    }
    std::size_t size() const { return (length + PANEL - 1) / PANEL * PANEL * terms + STEP<T>; }
    explicit operator bool() const { return lines && offsets; }
    T &at(std::size_t term, std::size_t column) { return lines.get()[column / PANEL * PANEL * terms + term * PANEL + column % PANEL]; }

    // From a matrix (terms, length) whose rows are `apart` from one another.
    void fill_with_rows(const T *from, std::size_t apart) {
        for (std::size_t start = 0; start < length; start += PANEL)
            for (std::size_t term = 0; term < terms; term++) std::copy(from + term * apart + start, from + term * apart + std::min(length, start + PANEL), &at(term, start));
    }
    // From a matrix (length, terms), likewise.
    void fill_with_columns(const T *from, std::size_t apart) {
        for (std::size_t column = 0; column < length; column++)
            for (std::size_t term = 0; term < terms; term++) at(term, column) = from[column * apart + term];
    }

    // The product, its rows `pitch` apart; what is written beyond a panel is mended by the next.
    void multiply(const Set &set, const Factors<T> &factors, T *results) const {
        for (std::size_t start = 0; start < length; start += PANEL)
            for (std::size_t first = 0; first < factors.rows; first += TOGETHER)
                set.products[sizeof(T) == 8](lines.get() + start * terms, offsets.get(), terms, factors.held.get() + first * terms,
                                             outputs_at(first, factors.rows), std::min(PANEL, length - start), results + first * pitch + start, pitch);
    }
    // How many numbers the product of so many rows has room in.
    std::size_t room(std::size_t rows) const { return (rows + TOGETHER) * pitch; }
};

}  // namespace rushlight
