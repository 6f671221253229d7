#include "io/read/reference_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_map>

#include "base/error.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/line_reader.hpp"
#include "io/read/two_bit_contigs.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {
namespace {

std::unique_ptr<ContigSource> open_one(const std::string& path, const TextBlocks::Options& options) {
  if (is_two_bit(path)) {
    return std::make_unique<TwoBitContigs>(path);
  }
  return std::make_unique<FastaStream>(path, options);
}

class ManyContigs final : public ContigSource {
 public:
  ManyContigs(std::vector<std::string> paths, const TextBlocks::Options& options, std::shared_ptr<ContigFiles> files,
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
        auto held = std::make_shared<const Held>(Held{source_, std::move(piece->letters)});
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
    if (files_ && next_ != told_) {
      files_->begin(contigs_, path);
      told_ = next_;
    }
    ++contigs_;
  }

  struct Held {
    std::shared_ptr<ContigSource> source;
    std::shared_ptr<const sequence::PackedLetters> letters;  // goes before its source
  };

  std::vector<std::string> paths_;
  TextBlocks::Options options_;
  std::shared_ptr<ContigFiles> files_;
  bool names_may_repeat_;
  std::uint64_t sizes_ = 0;
  std::shared_ptr<ContigSource> source_;  // of the file that is read
  std::size_t next_ = 0;
  std::size_t told_ = 0;  // the file that files_ was told last, from 1
  std::uint64_t contigs_ = 0;
  std::uint64_t before_ = 0;  // bytes of the files that are read
  std::string warning_;
  std::unordered_map<std::string, std::size_t> names_;
};

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

bool is_list_of_files(const std::string& name) {
  return name != "-" && !is_file(name) && ((name.size() > 1 && name[0] == '@') || name.find(',') != std::string::npos);
}

std::vector<std::string> reference_files(const std::string& name) {
  if (!is_list_of_files(name)) {
    return {name};
  }
  std::vector<std::string> files;
  if (name[0] == '@') {
    LineReader lines(name.substr(1));
    std::string_view line;
    while (lines.next(line)) {
      if (!line.empty() && line[0] != '#') {
        files.emplace_back(trimmed(line));
        if (!is_file(files.back())) {
          throw InputError(lines.name(), lines.number(), "there is no file " + files.back());
        }
      }
    }
    if (files.empty()) {
      throw InputError(lines.name(), 0, "has no names of files; give one in each line");
    }
    return files;
  }
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(',', begin), name.size());
    files.push_back(name.substr(begin, end - begin));
    begin = end + 1;
    if (!is_file(files.back())) {
      throw IoError(files.back(), "there is no such file; it is a part of the reference " + name);
    }
  }
  return files;
}

std::string_view ContigFiles::of(std::uint64_t contig) const {
  const std::lock_guard lock(changing_);
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), contig,
                                      [](std::uint64_t number, const auto& begin) { return number < begin.first; });
  return after == begins_.begin() ? std::string_view() : std::string_view(std::prev(after)->second);
}

std::unique_ptr<ContigSource> open_contigs(const std::vector<std::string>& paths, const TextBlocks::Options& options,
                                           std::shared_ptr<ContigFiles> files, bool names_may_repeat) {
  if (paths.size() == 1 && !files) {
    return open_one(paths.front(), options);
  }
  return std::make_unique<ManyContigs>(paths, options, std::move(files), names_may_repeat);
}

std::optional<ContigPiece> IndexContigs::next() {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  if (contig_ == reference_->contigs().size()) {
    return std::nullopt;
  }
  const sequence::Contig& contig = reference_->contigs()[contig_];
  ContigPiece piece;
  if (done_ == 0) {
    piece.start = {contig.name, {contig.topology.circular}};
  }
  std::string letters(std::min(kPiece, contig.length - done_), 'N');
  sequence::copy_letters(*reference_, contig.offset + done_, letters.size(), letters.data());
  const auto packed = std::make_shared<sequence::PackedLetters>();
  packed->append(letters);
  piece.letters = packed;
  piece.count = letters.size();
  letters_ += letters.size();
  done_ += letters.size();
  if (done_ == contig.length) {
    ++contig_;
    done_ = 0;
  }
  return piece;
}

}  // namespace trawl::io
