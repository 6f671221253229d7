// Cuts an ordinary gzip file into text that several threads inflate, see ParallelGzip. What is not for it (BGZF blocks,
// padding, damaged headers) is cut by an Inflater, which begins where it has stopped.
//
//   InputFile file("reads.fq.gz");
//   ParallelGzipCutter cutter(file, 1 << 20, 8);
//   Stretch stretch;
//   cutter.cut(stretch);
//   cutter.fill(stretch);
//   cutter.check(stretch);
//   std::string_view(stretch.text.data(), 6) == "@read1"
#pragma once

#include <memory>

#include "io/read/gzip/inflater.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/gzip/parallel_gzip.hpp"
#include "io/read/gzip/text_cutter.hpp"

namespace trawl::io {

class ParallelGzipCutter final : public TextCutter {
 public:
  ParallelGzipCutter(InputFile& file, std::size_t stretch_bytes, unsigned threads);

  void cut(Stretch& stretch) override;
  void fill(Stretch& stretch) const override;
  void check(Stretch& stretch) override;
  bool is_quick() const override { return false; }

 private:
  InputFile& file_;
  std::size_t stretch_bytes_;
  ParallelGzip gzip_;
  std::unique_ptr<Inflater> rest_;
};

}  // namespace trawl::io
