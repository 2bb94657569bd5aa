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

// What of a product is worked on for a group of rows: its terms, and columns of the outcome.
struct Part {
    std::size_t from, to, columns;
};

// The left factor: of each four rows one term after another. It may have fewer rows than it was made for.
template <class T> struct Factors {
    std::size_t rows, terms;
    Memory<T> held;

    Factors(std::size_t rows, std::size_t terms) : rows(rows), terms(terms), held((rows + TOGETHER) * terms) {
        if (held) std::fill(held.get(), held.get() + (rows + TOGETHER) * terms, T(0));
    }
    void set(std::size_t row, const T *from) {
        for (std::size_t term = 0; term < terms; term++) held.get()[place(row, term, rows, terms)] = from[term];
    }
    // All rows, which are `apart` from one another; of each group no more terms than are worked on.
    template <class Of> void set_rows(const T *from, std::ptrdiff_t apart, const Of &part) {
        for (std::size_t first = 0; first < rows; first += TOGETHER) {
            const T *row = from + static_cast<std::ptrdiff_t>(first) * apart;
            T *to = held.get() + first * terms;
            if (rows - first >= TOGETHER)
                for (std::size_t term = 0, end = part(first).to; term < end; term++, to += TOGETHER) to[0] = row[term], to[1] = row[term + apart], to[2] = row[term + 2 * apart], to[3] = row[term + 3 * apart];
            else
                for (std::size_t each = first; each < rows; each++) set(each, from + static_cast<std::ptrdiff_t>(each) * apart);
        }
    }
    void set_rows(const T *from, std::ptrdiff_t apart) {
        set_rows(from, apart, [this](std::size_t) { return Part{0, terms, 0}; });
    }
    // The transpose: terms, `pitch` apart, of which each has a number for every row; of each group those that are worked on.
    template <class Of> void set_terms(const T *from, std::size_t pitch, const Of &part) {
        for (std::size_t first = 0; first < rows; first += TOGETHER) {
            std::size_t count = std::min(TOGETHER, rows - first), apart = outputs_at(first, rows);
            T *to = held.get() + first * terms;
            if (count == TOGETHER)
                for (std::size_t term = part(first).from; term < terms; term++) std::copy(from + term * pitch + first, from + term * pitch + first + TOGETHER, to + term * TOGETHER);
            else
                for (std::size_t term = 0; term < terms; term++) std::copy(from + term * pitch + first, from + term * pitch + first + count, to + term * apart);
        }
    }
};

// The right factor: its rows, one for each term, are lines, PANEL columns after one another of all of them. It may
// have fewer terms than it was made for.
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

    // From a matrix (terms, length) whose rows are `apart` from one another.
    void fill_with_rows(const T *from, std::ptrdiff_t apart) {
        for (std::size_t start = 0; start < length; start += PANEL) {
            std::size_t count = std::min(PANEL, length - start);
            T *to = lines.get() + start * terms;
            const T *row = from + start;
            for (std::size_t term = 0; term < terms; term++, to += PANEL, row += apart) std::copy(row, row + count, to);
        }
    }
    // From a matrix (length, terms), likewise.
    void fill_with_columns(const T *from, std::ptrdiff_t apart) {
        for (std::size_t start = 0; start < length; start += PANEL)
            for (std::size_t column = 0; column < std::min(PANEL, length - start); column++, from += apart) {
                T *to = lines.get() + start * terms + column;
                for (std::size_t term = 0; term < terms; term++) to[term * PANEL] = from[term];
            }
    }

    // The product, its rows `pitch` apart; what is written beyond a panel is mended by the next.
    template <class Of> void multiply(const Set &set, const Factors<T> &factors, T *results, const Of &part) const {
        for (std::size_t start = 0; start < length; start += PANEL)
            for (std::size_t first = 0; first < factors.rows; first += TOGETHER) {
                Part each = part(first);
                std::size_t outputs = outputs_at(first, factors.rows);
                if (each.columns > start)
                    set.products[sizeof(T) == 8](lines.get() + start * terms, offsets.get() + each.from, each.to - each.from, factors.held.get() + first * terms + each.from * outputs,
                                                 outputs, std::min(PANEL, each.columns - start), results + first * pitch + start, pitch);
            }
    }
    void multiply(const Set &set, const Factors<T> &factors, T *results) const {
        multiply(set, factors, results, [this](std::size_t) { return Part{0, terms, length}; });
    }
    // How many numbers the product of so many rows has room in.
    std::size_t room(std::size_t rows) const { return (rows + TOGETHER) * pitch; }
};

}  // namespace rushlight
