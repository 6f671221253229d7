#include "io/read/read_samples.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/read/line_reader.hpp"
#include "io/read/reference_files.hpp"

namespace trawl::io {

namespace {

bool is_input(std::string_view path) {
  std::error_code error;
  return path == "-" || std::filesystem::exists(path, error);
}

// A file, or files with commas between them.
std::vector<std::string_view> files_of(std::string_view cell) {
  return is_input(cell) ? std::vector{cell} : parts_of(cell, ',');
}

// "a_L1" for "runs/a_L1.fq.gz".
std::string name_of_file(const std::string& path) {
  std::string name = path == "-" ? "reads" : std::filesystem::path(path).filename().string();
  for (const std::string_view extension :
       {".gz", ".bgz", ".bz2", ".xz", ".zst", ".fq", ".fastq", ".fa", ".fasta", ".fna", ".sam", ".bam", ".cram"}) {
    name.resize(name.size() - (has_extension(name, extension) ? extension.size() : 0));
  }
  return name.empty() ? path : name;
}

class SampleReader {
 public:
  explicit SampleReader(ReadSamples& samples) : samples_(samples) {}

  void read_commas() {
    for (const std::string_view part : parts_of(samples_.given, ',')) {
      const std::size_t mark = is_input(part) ? part.npos : part.find('=');
      if (mark != part.npos) {
        begin(part.substr(0, mark));
      }
      add_file(part.substr(mark + 1));  // npos + 1 == 0
    }
  }

  // Or a list of files.
  void read_sheet() {
    LineReader lines(samples_.given.substr(1));
    lines_ = &lines;
    Cells cells;
    std::size_t files = 1;
    std::optional<std::size_t> mates;
    bool has_header = false;
    for (std::string_view line; lines.next(line);) {
      if (line.empty() || line[0] == '#') {
        continue;
      }
      const bool is_first = separator_ == '\0';
      separator_ = is_first ? separator_of(line, ' ') : separator_;
      cells.split(line, separator_);
      const bool is_header = is_first && cells.size() > 1 && lower_case(cells[0]) == "sample";
      has_header = has_header || is_header;
      if (is_header) {
        files = cells.column_of("fastq_1").value_or(1);
        mates = cells.column_of("fastq_2");
      }
      is_sheet_ = is_sheet_ || is_header || (is_first && separator_ == '\t');
      if (!is_sheet_) {
        add_file(trimmed(line));
      } else if (!is_header) {
        begin(cells[0]);
        if (cells.size() <= files || cells[files].empty()) {
          fail("the sample " + std::string(cells[0]) +
               " has no files; a tab, and the files with commas, follow its name");
        }
        if (separator_ == '\t' && !has_header && cells.size() > 2) {
          fail("has " + std::to_string(cells.size()) +
               " columns; put commas between the files of a sample, or name the columns: sample, fastq_1, fastq_2");
        }
        for (const std::string_view file : files_of(cells[files])) {
          add_file(file);
        }
        if (mates && *mates < cells.size() && !cells[*mates].empty()) {
          for (const std::string_view file : files_of(cells[*mates])) {
            samples_.mates.emplace_back(file);
          }
        }
        if (!samples_.mates.empty() && samples_.mates.size() != samples_.files.size()) {
          fail("the sample " + std::string(cells[0]) +
               " or one before has not as many second mates (fastq_2) as first ones; fill the column in all lines or "
               "none");
        }
      }
    }
    if (samples_.files.empty()) {
      throw InputError(lines.name(), 0,
                       "has no names of files; give one in each line, or a sample, a tab and its files");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    if (lines_ != nullptr) {
      throw InputError(lines_->name(), lines_->number(), what);
    }
    throw UsageError(samples_.given + ": " + what);
  }

  // The files that follow are of this sample.
  void begin(std::string_view name) {
    if (!samples_.is_named && !samples_.files.empty()) {
      fail(samples_.files.front() + " comes before the first name of a sample; name its sample, too");
    }
    if (name.empty() || std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; })) {
      fail("the name of a sample is empty, or has a tab or another control character; change it");
    }
    samples_.is_named = true;
    const auto known = std::find(samples_.names.begin(), samples_.names.end(), name);
    sample_ = static_cast<std::uint32_t>(known - samples_.names.begin());
    samples_.names.resize(std::max(samples_.names.size(), sample_ + std::size_t{1}), std::string(name));
  }

  void add_file(std::string_view file) {
    const std::string path(file);
    if (samples_.is_named && path.empty()) {
      fail("the sample " + samples_.names[sample_] + " has an empty name of a file");
    }
    if (!is_input(path) && lines_ != nullptr) {
      fail("there is no file " + path + (path.find(',') == path.npos ? "" : "; in a sheet, a tab follows the sample"));
    }
    if (!is_input(path)) {
      throw IoError(path, "there is no such file; it is a part of the reference " + samples_.given);
    }
    if (samples_.is_named && std::find(samples_.files.begin(), samples_.files.end(), path) != samples_.files.end()) {
      fail(path + " is there twice, so its reads would be counted twice; leave it out once");
    }
    samples_.files.push_back(path);
    samples_.sample_of.push_back(sample_);
  }

  ReadSamples& samples_;
  const LineReader* lines_ = nullptr;  // of a sheet or a list
  bool is_sheet_ = false;
  char separator_ = '\0';  // of its cells; none: no line was read
  std::uint32_t sample_ = 0;
};

}  // namespace

ReadSamples read_samples(const std::string& given) {
  ReadSamples samples;
  samples.given = given;
  if (is_input(given) || !(is_list_of_files(given) || given.find('=') != given.npos)) {
    samples.files = {given};
    samples.sample_of = {0};
  } else if (given[0] == '@') {
    SampleReader(samples).read_sheet();
  } else {
    SampleReader(samples).read_commas();
  }
  if (!samples.is_named) {
    samples.names = {name_of_file(samples.files.front())};
  }
  return samples;
}

}  // namespace trawl::io
