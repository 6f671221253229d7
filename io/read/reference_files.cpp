#include "io/read/reference_files.hpp"

#include <htslib/bgzf.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_map>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_block.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/line_reader.hpp"
#include "io/read/read_samples.hpp"
#include "io/read/two_bit_contigs.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/reference_assembler.hpp"

namespace trawl::io {
namespace {

std::unique_ptr<ContigSource> open_one(const std::string& path, const TextOptions& options) {
  if (is_two_bit(path)) {
    return open_two_bit(path);
  }
  return std::make_unique<FastaStream>(path, options);
}

class ManyContigs final : public ContigSource {
 public:
  ManyContigs(std::vector<std::string> paths, const TextOptions& options, std::shared_ptr<ContigFiles> files,
              bool names_may_repeat)
      : paths_(std::move(paths)), options_(options), files_(std::move(files)), names_may_repeat_(names_may_repeat) {
    for (const std::string& path : paths_) {
      sizes_ += file_size(path).value_or(0);
    }
  }

  std::optional<ContigPiece> next() override {
    for (;; source_.reset()) {
      if (!source_) {
        if (next_ == paths_.size()) {
          return std::nullopt;
        }
        source_ = open_one(paths_[next_++], options_);
      }
      if (auto piece = source_->next()) {
        if (piece->start) {
          begin(piece->start->name);
        }
        // Letters may be held as long as their source lives.
        auto held = std::make_shared<const SourceAndLetters>(SourceAndLetters{source_, std::move(piece->letters)});
        piece->letters = {held, held->letters.get()};
        return piece;
      }
      before_ += source_->consumed(0);
      if (warning_.empty()) {
        warning_ = source_->warning();
      }
    }
  }
  std::uint64_t consumed(std::uint64_t unused) const override {
    return before_ + (source_ ? source_->consumed(unused) : 0);
  }
  std::uint64_t expected_letters() const override { return sizes_; }
  std::string warning() const override { return warning_; }

 private:
  void begin(const std::string& name) {
    const std::string& path = paths_[next_ - 1];
    if (const auto [first, is_new] = names_.emplace(name, next_ - 1); !is_new && !names_may_repeat_) {
      throw InputError(path, 0,
                       "a second sequence with the name " + name + ", which " + paths_[first->second] +
                           " has, too; only tables of trawl scan (.tsv, .csv) tell them apart");
    }
    if (files_ && next_ != last_in_files_) {
      files_->begin(contigs_, path);
      last_in_files_ = next_;
    }
    ++contigs_;
  }

  struct SourceAndLetters {
    std::shared_ptr<ContigSource> source;
    std::shared_ptr<const sequence::PackedLetters> letters;  // goes before its source
  };

  std::vector<std::string> paths_;
  TextOptions options_;
  std::shared_ptr<ContigFiles> files_;
  bool names_may_repeat_;
  std::uint64_t sizes_ = 0;
  std::shared_ptr<ContigSource> source_;  // of the file that is read
  std::size_t next_ = 0;
  std::size_t last_in_files_ = 0;  // the latest file that files_ has, from 1
  std::uint64_t contigs_ = 0;
  std::uint64_t before_ = 0;  // bytes of the files that are read
  std::string warning_;
  std::unordered_map<std::string, std::size_t> names_;
};

// The letters of a reference in memory.
class IndexContigs final : public ContigSource {
 public:
  explicit IndexContigs(std::shared_ptr<const sequence::Reference> reference) : reference_(std::move(reference)) {}

  std::optional<ContigPiece> next() override {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    if (contig_ == reference_->contigs().size()) {
      return std::nullopt;
    }
    const sequence::Contig& contig = reference_->contigs()[contig_];
    ContigPiece piece;
    if (done_ == 0) {
      piece.start = {contig.name, {contig.topology.circular}};
    }
    piece.count = std::min(kPiece, contig.length - done_);
    piece.letters = sequence::packed_letters_at(*reference_, contig.offset + done_, piece.count);
    letters_ += piece.count;
    done_ += piece.count;
    if (done_ == contig.length) {
      ++contig_;
      done_ = 0;
    }
    return piece;
  }
  std::uint64_t consumed(std::uint64_t unused) const override { return letters_ - unused; }
  std::string warning() const override { return ""; }

 private:
  std::shared_ptr<const sequence::Reference> reference_;
  std::size_t contig_ = 0;     // the one whose letters come next
  std::uint64_t done_ = 0;     // its letters so far
  std::uint64_t letters_ = 0;  // of all contigs so far
};

sequence::Reference read_all(const std::unique_ptr<ContigSource>& contigs, std::vector<std::string>* warnings,
                             const TextOptions& options) {
  sequence::ReferenceAssembler assembler(options.threads);  // after the contigs, whose letters it holds
  while (auto piece = contigs->next()) {
    Stop::look();
    assembler.expect(contigs->expected_letters());
    if (piece->start) {
      assembler.begin_contig(std::move(piece->start->name), piece->start->topology);
    }
    assembler.append(piece->letters, piece->begin, piece->count);
  }
  if (warnings != nullptr && !contigs->warning().empty()) {
    warnings->push_back(contigs->warning());
  }
  return std::move(assembler).finish();
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

bool is_list_of_files(const std::string& name) {
  return name != "-" && !is_file(name) && ((name.size() > 1 && name[0] == '@') || name.find(',') != std::string::npos);
}

std::vector<std::string> reference_files(const std::string& name) {
  return is_list_of_files(name) ? read_samples(name).files : std::vector{name};
}

std::string_view ContigFiles::of(std::uint64_t contig) const {
  const std::lock_guard lock(changing_);
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), contig,
                                      [](std::uint64_t number, const auto& begin) { return number < begin.first; });
  return after == begins_.begin() ? std::string_view() : std::string_view(std::prev(after)->second);
}

std::unique_ptr<ContigSource> open_contigs(const std::vector<std::string>& paths, const TextOptions& options,
                                           std::shared_ptr<ContigFiles> files, bool names_may_repeat) {
  if (paths.size() == 1 && !files) {
    return open_one(paths.front(), options);
  }
  return std::make_unique<ManyContigs>(paths, options, std::move(files), names_may_repeat);
}

std::unique_ptr<ContigSource> contigs_of(std::shared_ptr<const sequence::Reference> reference) {
  return std::make_unique<IndexContigs>(std::move(reference));
}

sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings,
                                   const TextOptions& options) {
  return read_all(open_contigs(reference_files(path), options), warnings, options);
}

sequence::Reference read_circular(const std::string& path, const std::vector<std::string>& names,
                                  const std::function<std::uint64_t(std::uint64_t)>& repeated,
                                  std::vector<std::string>* warnings, const TextOptions& options,
                                  std::shared_ptr<ContigFiles> files) {
  auto contigs = open_contigs(reference_files(path), options, std::move(files));
  return sequence::Reference::without_repeats(
      read_all(std::make_unique<CircularContigs>(std::move(contigs), names, repeated), warnings, options));
}

std::string reference_for_htslib(const std::string& fasta) {
  std::error_code error;
  if (fasta == "-" || !std::filesystem::is_regular_file(fasta, error) || is_two_bit(fasta) ||
      InputFile(fasta).is_ordinary_gzip()) {
    return "";
  }
  return std::filesystem::absolute(fasta, error).lexically_normal().string();
}

std::string fault_for_htslib(const std::vector<std::string>& fastas) {
  for (const std::string& fasta : fastas) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(fasta, error) || is_two_bit(fasta)) {
      continue;
    }
    const std::unique_ptr<BGZF, int (*)(BGZF*)> start(bgzf_open(fasta.c_str(), "r"), bgzf_close);
    char mark[3] = {};
    if (start && bgzf_read(start.get(), mark, sizeof mark) > 0 && std::string_view(mark, 3) == "\xef\xbb\xbf") {
      return fasta + " begins with a byte order mark";
    }
    LineReader lines(fasta);
    std::optional<std::size_t> bases;  // of the first line of the sequence
    std::size_t size = 0;              // with white space
    bool has_ended = false;            // by a shorter line, or a blank one
    for (std::string_view line; lines.next(line);) {
      const std::size_t own_size = line.size() + lines.blanks();
      std::string what;
      if (line.starts_with('>')) {
        bases.reset();
        what = parse_fasta_header(line.substr(1)).renames ? " has a name that SAM does not allow" : "";
      } else if (line.find('U') != line.npos || line.find('u') != line.npos) {
        what = " has U";
      } else if (!bases) {
        bases = line.size();
        size = own_size;
        has_ended = line.empty();
      } else if (!line.empty() && (has_ended || own_size > size)) {
        what = " differs in length from the lines before it";
      } else {
        has_ended = has_ended || line.size() < *bases || own_size < size;
      }
      if (!what.empty()) {
        return "line " + std::to_string(lines.number()) + " of " + fasta + what;
      }
    }
  }
  return "";
}

}  // namespace trawl::io
