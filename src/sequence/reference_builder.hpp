// Builds a reference from letters that are in memory.
//
//   ReferenceBuilder builder;
//   builder.begin_contig("chr1");
//   builder.append("ACGTN");
//   const Reference reference = std::move(builder).finish();
//   reference.bases() == 5
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "sequence/packed_letters.hpp"
#include "sequence/reference.hpp"
#include "sequence/reference_assembler.hpp"

namespace trawl::sequence {

class ReferenceBuilder {
 public:
  void begin_contig(std::string_view name, const Topology& topology = {}) {
    hand_over();
    assembler_.begin_contig(std::string(name), topology);
  }
  /// Adds letters to the latest contig. Only IUPAC codes are allowed, in upper or lower case; U counts as T.
  void append(std::string_view letters) {
    letters_->append(letters);
    if (letters_->size() > kMostLetters) {
      hand_over();
    }
  }
  Reference finish() && {
    hand_over();
    return std::move(assembler_).finish();
  }

 private:
  static constexpr std::size_t kMostLetters = std::size_t{1} << 20;

  void hand_over() {
    if (letters_->size() > 0) {
      assembler_.append(letters_, 0, letters_->size());
      letters_ = std::make_shared<PackedLetters>();
    }
  }

  ReferenceAssembler assembler_{1};
  std::shared_ptr<PackedLetters> letters_ = std::make_shared<PackedLetters>();
};

}  // namespace trawl::sequence
