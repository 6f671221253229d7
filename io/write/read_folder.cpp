#include "io/write/read_folder.hpp"

#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "io/write/read_files.hpp"

namespace trawl::io {

namespace {

// The longest name of a file without its extension: a file system allows 255 bytes.
constexpr std::size_t kMostName = 200;
constexpr const char* kAmbiguousName = "ambiguous";
constexpr const char* kUnassignedName = "unassigned";

// Half of the files that this process may open, and not more than can be removed if it is interrupted.
std::size_t most_open_files() {
  constexpr rlim_t most = 512;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(std::min(most, limit.rlim_cur / 2)) : 0;
}

// The name of a pattern as one of a file.
std::string file_name_of(std::string_view pattern) {
  std::string name(pattern);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; }, '_');
  if (name.starts_with('.')) {
    name.front() = '_';
  }
  return name;
}

}  // namespace

ReadFolder::ReadFolder(const ReadFolderOptions& options, const sequence::PatternList& patterns)
    : options_(options),
      patterns_(patterns),
      files_((patterns.size() + 2) * options.mates),
      compressors_(options.compression_level),
      arena_(static_cast<int>(options.threads)) {
  options_.most_open = options.most_open.value_or(most_open_files());
  name_files(patterns);
  make_folder();
}

ReadFolder::~ReadFolder() {
  spool_.reset();
  if (is_made_ && !is_closed_) {
    ::rmdir(options_.path.c_str());
  }
}

void ReadFolder::name_files(const sequence::PatternList& patterns) {
  std::unordered_map<std::string, std::string> owners;  // by name of a file
  owners.emplace(kAmbiguousName, "the reads that have several");
  owners.emplace(kUnassignedName, "the reads that have none");
  std::vector<std::string> names;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const std::string pattern(patterns[p].name);
    const std::string& name = names.emplace_back(file_name_of(pattern));
    if (name.size() > kMostName) {
      throw UsageError("--extract: the name of the pattern " + pattern + " is too long for a file; shorten it");
    }
    if (const auto [owner, is_new] = owners.emplace(name, "the pattern " + pattern); !is_new) {
      throw UsageError("--extract: the file " + name + " would be that of the pattern " + pattern + " and of " +
                       owner->second + "; rename the pattern");
    }
  }
  names.insert(names.end(), {kAmbiguousName, kUnassignedName});
  for (std::size_t f = 0; f < files_.size(); ++f) {
    files_[f].name = names[f / options_.mates] + (options_.mates == 1 ? "" : f % 2 == 0 ? "_R1" : "_R2");
  }
}

void ReadFolder::make_folder() {
  std::error_code error;
  is_made_ = std::filesystem::create_directory(options_.path, error);
  if (error) {
    throw IoError(options_.path, "cannot make this folder: " + error.message());
  }
  const std::filesystem::directory_iterator entries(options_.path, error);
  if (error) {
    throw IoError(options_.path, "cannot read this folder: " + error.message());
  }
  if (entries != std::filesystem::directory_iterator()) {
    throw IoError(options_.path, "has files already, such as " + entries->path().filename().string() +
                                     "; remove them, or name a new folder");
  }
}

std::size_t ReadFolder::file_of(const scan::ReadCall& call) const {
  return call.kind == scan::CallKind::assigned    ? call.best.pattern
         : call.kind == scan::CallKind::ambiguous ? patterns_.size()
                                                  : patterns_.size() + 1;
}

void ReadFolder::add(const sequence::ReadBatch& reads, std::size_t read, std::size_t f) {
  ReadFile& file = files_[f];
  append_read(reads, read, is_fastq_, file.name, file.text);
  if (!file.is_full && file.left() >= kBgzfText) {
    file.is_full = true;
    full_.push_back(f);
  }
}

void ReadFolder::write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls) {
  is_fastq_ = reads.is_fastq;
  std::vector<sequence::ReadBatch> pieces((calls.size() + kCallsAPiece - 1) / kCallsAPiece);
  arena_.execute([&] {
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) {
      const std::size_t first = p * kCallsAPiece;
      pieces[p] = labeled_reads(reads, first, calls.subspan(first, std::min(kCallsAPiece, calls.size() - first)),
                                patterns_, options_.labels);
    });
  });
  const std::size_t mates = options_.mates;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const sequence::ReadBatch& labeled = pieces[c / kCallsAPiece];
    const std::size_t first = c % kCallsAPiece * mates;
    if (mates == 2 && (!reads.paired || labeled.is_absent(first + 1))) {
      throw InputError("the read '" + std::string(reads.name(reads.paired ? 2 * c : c)) + "' has no mate, and " +
                       options_.path + " gets pairs; take such reads out before: samtools view -f 1");
    }
    for (std::size_t m = 0; m < mates; ++m) {
      add(labeled, first + m, file_of(calls[c]) * mates + m);
    }
  }
  write_blocks();
  std::uint64_t held = 0;
  for (const ReadFile& file : files_) {
    held += file.text.size();
  }
  if (held > options_.most_held) {
    spill();
  }
}

// Moves the text that waits in the temporary file to where it belongs.
void ReadFolder::take_waiting(ReadFile& file) const {
  std::string text(file.waiting_bytes, '\0');
  char* to = text.data();
  for (const SpooledPiece& piece : file.waiting) {
    to += spool_->read(piece.at, to, piece.size);
  }
  file.text.insert(0, text);
  file.waiting.clear();
  file.waiting_bytes = 0;
}

// Writes the blocks that are full.
void ReadFolder::write_blocks() {
  std::vector<FullBlock> blocks;
  for (const std::size_t f : full_) {
    ReadFile& file = files_[f];
    take_waiting(file);
    std::size_t at = 0;
    for (; file.text.size() - at >= kBgzfText; at += kBgzfText) {
      blocks.push_back({f, file.text.substr(at, kBgzfText), {}});
    }
    file.text.erase(0, at);
    file.is_full = false;
  }
  full_.clear();
  arena_.execute([&] {
    tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t b) { blocks[b].packed = packed(blocks[b].text); });
  });
  for (const FullBlock& block : blocks) {
    ReadFile& file = files_[block.file];
    if (!file.output && file.blocks.empty() && open_ < options_.most_open) {
      file.output = output_of(file);
      ++open_;
    }
    if (file.output) {
      file.output->write(block.packed);
    } else {
      file.blocks.push_back(spool(block.packed));
    }
  }
}

void ReadFolder::spill() {
  for (ReadFile& file : files_) {
    if (!file.text.empty()) {
      file.waiting.push_back(spool(file.text));
      file.waiting_bytes += file.text.size();
      file.text = {};
    }
  }
}

ReadFolder::SpooledPiece ReadFolder::spool(std::string_view bytes) {
  if (!spool_) {
    spool_ = std::make_unique<NamelessFile>("reads that wait", options_.path);
  }
  const SpooledPiece piece{spool_->size(), static_cast<std::uint32_t>(bytes.size())};
  spool_->write(bytes);
  return piece;
}

std::unique_ptr<OutputFile> ReadFolder::output_of(const ReadFile& file) const {
  return std::make_unique<OutputFile>(options_.path + "/" + file.name + (is_fastq_ ? ".fq.gz" : ".fa.gz"));
}

std::string ReadFolder::packed(std::string_view text) const {
  std::string bytes(kBgzfBlock, '\0');
  bytes.resize(compressors_.local().compress(text, bytes.data()));
  return bytes;
}

// Writes all of the file, and gives it its name.
void ReadFolder::complete(ReadFile& file) const {
  const std::unique_ptr<OutputFile> output = file.output ? std::move(file.output) : output_of(file);
  std::string bytes;
  for (const SpooledPiece& block : file.blocks) {
    bytes.resize(block.size);
    spool_->read(block.at, bytes.data(), bytes.size());
    output->write(bytes);
  }
  take_waiting(file);
  if (!file.text.empty()) {
    output->write(packed(file.text));
  }
  output->write(kBgzfEnd);
  output->commit();
  file = {};
}

void ReadFolder::close() {
  arena_.execute(
      [&] { tbb::parallel_for(std::size_t{0}, files_.size(), [&](std::size_t f) { complete(files_[f]); }); });
  is_closed_ = true;
}

}  // namespace trawl::io
