#include "io/read/read_samples.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/format/letters.hpp"
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
  for (const auto& extensions : {std::vector{".gz", ".bgz", ".bz2", ".xz", ".zst"},
                                 std::vector{".fq", ".fastq", ".fa", ".fasta", ".fna", ".sam", ".bam", ".cram"}}) {
    for (const std::string_view extension : extensions) {
      if (has_extension(name, extension) && name.size() > extension.size()) {
        name.resize(name.size() - extension.size());
        break;
      }
    }
  }
  return name;
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
      add_file(mark != part.npos ? part.substr(mark + 1) : part);
    }
  }

  // Or a list of files.
  void read_sheet() {
    LineReader lines(samples_.given.substr(1));
    lines_ = &lines;
    Cells cells;
    std::optional<std::size_t> mates;
    char separator = '\t';
    std::size_t files = 1;
    std::string_view line;
    while (lines.next(line)) {
      if (line.empty() || line[0] == '#') {
        continue;
      }
      const bool is_first = samples_.files.empty() && !is_sheet_;
      const char found = separator_of(line, '\t');
      cells.split(line, is_first ? found : separator);
      if (is_first && cells.size() > 1 && lower_case(cells[0]) == "sample") {
        is_sheet_ = true;
        separator = found;
        files = cells.column_of("fastq_1").value_or(1);
        mates = cells.column_of("fastq_2");
        continue;
      }
      if (is_first) {
        is_sheet_ = line.find('\t') != line.npos;
      }
      if (!is_sheet_) {
        add_file(trimmed(line));
        continue;
      }
      if (cells.size() <= files || cells[files].empty()) {
        fail("the sample " + std::string(cells[0]) +
             " has no files; give lines of a sample, a tab and its files, with "
             "commas between them");
      }
      begin(cells[0]);
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
             " and those before have not as many files of second mates (fastq_2) as of first ones");
      }
    }
    if (samples_.files.empty()) {
      throw InputError(lines.name(), 0,
                       is_sheet_ ? "has no samples; give lines of a sample, a tab and its files"
                                 : "has no names of files; give one in each line");
    }
    lines_ = nullptr;
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
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    if (name.empty()) {
      fail("a sample without a name; give it as NAME=FILE, or in the first column of a sheet");
    }
    if (const auto at = std::find_if(name.begin(), name.end(), is_control); at != name.end()) {
      fail("the name of a sample contains " + describe_character(*at) + ", which cannot be printed; rename it");
    }
    const auto known = std::find(samples_.names.begin(), samples_.names.end(), name);
    sample_ = static_cast<std::uint32_t>(known - samples_.names.begin());
    if (known == samples_.names.end()) {
      samples_.names.emplace_back(name);
    }
    samples_.is_named = true;
  }

  void add_file(std::string_view file) {
    const std::string path(file);
    if (samples_.is_named && path.empty()) {
      fail("the sample " + samples_.names[sample_] + " has an empty name of a file");
    }
    if (!is_input(path)) {
      if (lines_ != nullptr) {
        fail("there is no file " + path +
             (is_sheet_ || path.find(',') == path.npos ? "" : "; in a sheet, a tab follows the sample"));
      }
      const std::string of = samples_.is_named ? "" : "the reference ";
      throw IoError(path, "there is no such file; it is a part of " + of + samples_.given);
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
  std::uint32_t sample_ = 0;
};

}  // namespace

ReadSamples read_samples(const std::string& given) {
  ReadSamples samples;
  samples.given = given;
  const bool is_marked = given.find('=') != given.npos;
  if (is_input(given) || !(is_list_of_files(given) || is_marked)) {
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
