// An open file or pipe, or the standard input ("-").
//
//   InputFile file("reads.fq.gz");
//   file.begins_with("\x1f\x8b") == true
//   char block[65536];
//   while (const std::size_t n = file.read(block, sizeof block)) { ... }   // from the start
//   InputFile again("reads.fq.gz");
//   first_letter(again) == '@'
//
// All offsets count from where the input starts. That is not byte 0 if the standard input is a file of which a part was
// already read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trawl::io {

class InputFile {
 public:
  /// Throws IoError, also for a directory. `name`: for messages, if it is not the path.
  explicit InputFile(const std::string& path, const std::string& name = "");
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  /// A regular file, which read_at() can read.
  bool is_regular() const { return is_regular_; }
  /// Bytes from the start to the end of a regular file, as it was when it was opened.
  std::uint64_t size() const { return size_; }
  /// The first bytes, up to `size`; fewer only if the input is shorter. Not after read(). Waits for them on a pipe.
  std::string start(std::size_t size);
  bool begins_with(std::string_view bytes) { return start(bytes.size()) == bytes; }

  /// Whether it begins as gzip data without an extra field, which all BGZF has. Not after read().
  bool is_ordinary_gzip() { return begins_with("\x1f\x8b") && !begins_with("\x1f\x8b\x08\x04"); }

  /// Reads on, up to `size` bytes; fewer only before the end or an error. 0 at the end. Throws IoError.
  std::size_t read(char* to, std::size_t size);
  /// Reads from `offset`, up to `size` bytes; fewer only at the end. Several threads may do this at the same time.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;

  /// Bytes that read() has got from a pipe so far. Any thread may ask for it while another one is in read().
  std::uint64_t received() const { return received_; }

  /// A read() that waits for data in another thread ends, and so does each one after it.
  void stop();

 private:
  bool wait_for_data() const;
  [[noreturn]] void fail(int error) const;

  std::string name_;
  int descriptor_ = -1;
  int stop_event_ = -1;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> received_{0};
  bool is_regular_ = false;
  std::uint64_t start_ = 0;  // where a regular file starts for us
  std::uint64_t size_ = 0;
  std::uint64_t offset_ = 0;  // of read() in a regular file
  std::string first_;         // what begins_with() has taken from a pipe
  int error_ = 0;             // found after some bytes, reported by the next read()
};

/// Size in bytes, counted before decompression. Nothing if it is not a regular file. "-" is the standard input.
std::optional<std::uint64_t> file_size(const std::string& path);

/// The first `least` characters of the text of a file, plain or compressed, without what may come before it: a byte
/// order mark, blanks and blank lines. Fewer if the first megabyte has no more, or if the data are damaged. Not after
/// InputFile::read(). On a pipe, this waits for as much as it needs. Throws IoError.
std::string text_start(InputFile& file, std::size_t least);

/// '@' for FASTQ, '>' for FASTA: the first of them; '\0' if there is none.
inline char first_letter(InputFile& file) {
  const std::string start = text_start(file, 1);
  return start.empty() ? '\0' : start[0];
}

/// Shows whether two computers have the same large file, without reading all of it: its size and a checksum of its
/// bytes up to 4 MiB, otherwise of 64 evenly spread pieces. Empty for what is not a regular file. Throws IoError if it
/// cannot be read.
///   file_sample("genome.fa") == "92 bytes, 4249334493"
std::string file_sample(const std::string& path);

/// "standard input" for "-", else the path.
std::string display_name(const std::string& path);

}  // namespace trawl::io
