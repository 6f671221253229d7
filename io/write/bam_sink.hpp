// Writes BAM. The records are encoded and compressed by the threads that call format() and pack().
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   BamSink sink({.path = "out.bam"}, reference, md5s);     // is used as any AlignmentSink
//   sink.close();                                           // now out.bam exists
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/bgzf_output.hpp"

namespace trawl::io {

class BamSink : public AlignmentSink {
 public:
  BamSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  bool packs() const override { return true; }
  void place(Chunk& chunk) override;
  void pack(Chunk& chunk) const override;
  void write(Chunk& chunk) override;
  void close() override;
  std::string path_for_others() const override { return output_.file().path_for_others(); }
  void get_place(Packer& to) const override { output_.get_place(to); }
  void set_place(Unpacker& from) override { output_.set_place(from); }
  bool has_end() const override { return true; }
  void get_end(Packer& to) const override { output_.get_end(to); }
  void set_end(Unpacker& from) override { output_.set_end(from); }
  void take_room(Chunk& chunk) override;
  void write_to_room(Chunk& chunk) const override;
  void check_written() const override { output_.file().check_written(); }
  void append_parcel(Chunk& chunk, std::string& parcel) const override;
  void write_parcel(std::string_view parcel) override { output_.write_parcel(parcel); }

 private:
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
  BgzfOutput output_;
};

}  // namespace trawl::io
