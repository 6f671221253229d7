// The short sequences to search for, as given by the user. There may be millions.
//
//   PatternList patterns{{"EMX1", "GAGTCCGAGCAGAAGAAGAA"}};
//   patterns.add("VEGFA", "GGGTGGGGGGAGTTTGCTCC");
//   patterns[1].name == "VEGFA"
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "sequence/letter_store.hpp"

namespace trawl::sequence {

/// A view; the letters belong to a PatternList.
struct Pattern {
  std::string_view name;
  std::string_view bases;  // IUPAC letters in upper case, U written as T
};

/// Takes 16 bytes for each pattern and one byte for each letter. A copy shares the letters of the patterns that were
/// there when it was made, so a view stays valid until the last copy is gone. What is added later belongs to one list
/// alone: threads may add to copies of the same list.
class PatternList {
  // The letters that a list has added, and those of the list that it is a copy of.
  struct Letters {
    LetterStore store;
    std::shared_ptr<const Letters> before;
  };

 public:
  class Iterator {
   public:
    using value_type = Pattern;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const PatternList* list, std::size_t at) : list_(list), at_(at) {}
    Pattern operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const PatternList* list_ = nullptr;
    std::size_t at_ = 0;
  };

  PatternList() = default;
  PatternList(const PatternList& other) : entries_(other.entries_) { letters_->before = other.letters_; }
  PatternList& operator=(const PatternList& other) { return *this = PatternList(other); }
  PatternList(PatternList&&) noexcept = default;
  PatternList& operator=(PatternList&&) noexcept = default;
  ~PatternList() = default;
  PatternList(std::initializer_list<Pattern> patterns) {
    for (const Pattern& pattern : patterns) {
      add(pattern.name, pattern.bases);
    }
  }

  /// Copies the letters.
  void add(std::string_view name, std::string_view bases) {
    char* const letters = letters_->store.room(name.size() + bases.size());
    std::copy(bases.begin(), bases.end(), std::copy(name.begin(), name.end(), letters));
    entries_.push_back({letters, static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(bases.size())});
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Pattern operator[](std::size_t i) const {
    const auto& [letters, name, bases] = entries_[i];
    return {{letters, name}, {letters + name, bases}};
  }
  /// Asks for the memory of pattern i, so that reading it soon does not wait. First the place of its letters, then, a
  /// while later, the letters.
  void prefetch_place(std::size_t i) const { __builtin_prefetch(&entries_[i]); }
  void prefetch_letters(std::size_t i) const { __builtin_prefetch(entries_[i].letters); }

  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  /// What keeps the letters.
  std::shared_ptr<const void> store() const { return letters_; }

 private:
  struct PatternLetters {
    const char* letters;  // of the name, then of the bases
    std::uint32_t name;
    std::uint32_t bases;
  };

  std::shared_ptr<Letters> letters_ = std::make_shared<Letters>();
  std::vector<PatternLetters> entries_;
};

}  // namespace trawl::sequence
