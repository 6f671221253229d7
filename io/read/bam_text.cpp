#include "io/read/bam_text.hpp"

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/format/htslib_owner.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/gzip/decompressor.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
constexpr char kUnknownQuality = '"';  // 1, as samtools fastq has it
// Mates whose mates did not come: so many names are kept, to see whether they come later.
constexpr std::size_t kMostLoneMates = std::size_t{1} << 18;

// A record as FASTQ.
struct HeldRead {
  std::string text;
  std::size_t word_at = 0;
  unsigned flag = 0;
};

// `line`: of SAM. With a word after the name if `has_word`.
void set_fastq(std::string_view line, const bam1_t& record, bool has_word, HeldRead& read) {
  std::string_view fields[11];
  for (std::string_view& field : fields) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  read.flag = record.core.flag;
  const bool is_reverse = (read.flag & BAM_FREVERSE) != 0;
  const bool has_qualities = record.core.l_qseq > 0 && bam_get_qual(&record)[0] != 0xff;
  const std::string_view bases = fields[9] == "*" ? std::string_view() : fields[9];
  std::string& text = read.text;
  text.assign("@").append(fields[0]);
  read.word_at = text.size() + 1;
  if (has_word) {
    text.append((read.flag & BAM_FQCFAIL) != 0 ? " 0:Y:" : " 0:N:").append(has_qualities ? "0:" : "2:");
  }
  if (!line.empty()) {
    text.append("\t").append(line);
  }
  text += '\n';
  text += is_reverse ? sequence::reverse_complement(bases) : std::string(bases);
  text += "\n+\n";
  const std::size_t begin = text.size();
  if (has_qualities) {
    text += fields[10];
  } else {
    text.append(bases.size(), kUnknownQuality);
  }
  if (is_reverse) {
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  }
  text += '\n';
}

std::string regroup(const std::string& file) {
  return "samtools collate -u -O " + (file == display_name("-") ? "-" : file) + " | trawl map REF -";
}

// Puts the reads of pairs together.
class MateGrouper {
 public:
  explicit MateGrouper(std::string file) : file_(std::move(file)) {}

  // The place for the next read. What is complete goes to `text`.
  HeldRead& next(std::string_view name, std::string& text) {
    if (name != name_ || size_ == 0) {
      flush(text);
      name_ = name;
    }
    if (size_ == group_.size()) {
      group_.emplace_back();
    }
    return group_[size_++];
  }

  void flush(std::string& text) {
    const auto count = [&](unsigned flags, unsigned wanted) {
      return std::count_if(group_.begin(), group_.begin() + static_cast<std::ptrdiff_t>(size_),
                           [=](const HeldRead& read) { return (read.flag & flags) == wanted; });
    };
    const auto mates = count(BAM_FPAIRED, BAM_FPAIRED);
    if (mates > 0) {
      if (size_ > 2 || mates < static_cast<std::ptrdiff_t>(size_)) {
        fail("has " + std::to_string(size_) + " records, " + std::to_string(mates) +
             " of them with the flag of pairs (0x1); a pair has two, a single read one without it");
      }
      for (const unsigned wanted : {BAM_FREAD1, BAM_FREAD2}) {
        if (size_ == 2 && count(BAM_FREAD1 | BAM_FREAD2, wanted) == 2) {
          fail(std::string("has two ") + (wanted == BAM_FREAD1 ? "first" : "second") +
               " mates (flag 0x40: first, 0x80: second)");
        }
      }
      look_for_mate();
    }
    if (size_ == 2 && mates == 2) {
      constexpr unsigned both = BAM_FREAD1 | BAM_FREAD2;
      if ((group_[0].flag & both) == BAM_FREAD2 || (group_[1].flag & both) == BAM_FREAD1) {
        std::swap(group_[0], group_[1]);
      }
      for (std::size_t m = 0; m < 2; ++m) {
        group_[m].text[group_[m].word_at] = m == 0 ? '1' : '2';
      }
    }
    for (std::size_t r = 0; r < size_; ++r) {
      text += group_[r].text;
    }
    size_ = 0;
  }

 private:
  // Whether the mate of this one came before.
  void look_for_mate() {
    const std::size_t hash = std::hash<std::string>()(name_);
    if (lone_mates_.contains(hash)) {
      fail("and its mate do not follow each other; group the reads by name: " + regroup(file_));
    }
    if (size_ == 1 && lone_mates_.size() < kMostLoneMates) {
      lone_mates_.insert(hash);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_, 0, "the read '" + name_ + "' " + what);
  }

  std::string file_;
  std::string name_;
  std::vector<HeldRead> group_;
  std::size_t size_ = 0;  // of the group
  std::unordered_set<std::size_t> lone_mates_;
};

// A pipe that nobody reads is no reason to end.
void ignore_closed_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

struct Pipe {
  explicit Pipe(const std::string& file) {
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw IoError(file, "no pipe can be made");
    }
  }
  int ends[2];
};

}  // namespace

struct BamReading {
  std::string name;  // for messages
  bool is_mapping;
  bool has_read_group;
  std::unique_ptr<InputFile> input = nullptr;
  HtslibOwner<htsFile> file = nullptr;
  HtslibOwner<sam_hdr_t> header = nullptr;
  // What the header says; htslib changes it when it is asked, so threads do not share it.
  std::string header_text = {};
  std::set<std::string, std::less<>> groups = {};
  bool is_sorted = false;
  std::exception_ptr failure = nullptr;
  std::exception_ptr input_failure = nullptr;  // of the thread that feeds the pipe
  std::atomic<bool> has_input_failed = false;  // it is set

  void write(int to) const;
  void look_at_header();
  void check(const bam1_t& record) const;
  void throw_input_failure() const;
  [[noreturn]] void fail() const;
};

// htslib reads plain files and gzip only.
bool is_alignments(InputFile& file) {
  return is_alignment_text(text_start(file, kForeignFormatBytes)) &&
         !make_decompressor(file.start(kForeignFormatBytes));
}

BamWord bam_word(std::string_view comment) {
  if (comment.size() < 6) {
    return {};
  }
  return {static_cast<unsigned>(comment[0] - '0'), comment[2] == 'Y', comment[4] == '0'};
}

BamText::BamText(std::unique_ptr<InputFile> file, const std::string& path, unsigned threads, bool is_mapping,
                 bool has_read_group)
    : reading_(new BamReading{file->name(), is_mapping, has_read_group}) {
  hts_set_log_level(HTS_LOG_OFF);  // errors are thrown
  BamReading& reading = *reading_;
  if (file->is_regular() && path != "-") {
    reading.file.reset(hts_open(path.c_str(), "r"));
  } else if (file->is_regular()) {
    reading.file.reset(hts_hopen(hdopen(dup(STDIN_FILENO), "r"), path.c_str(), "r"));
  } else {
    // htslib cannot have the first bytes, which were looked at.
    reading.input = std::move(file);
    const Pipe pipe(reading.name);
    std::thread([shared = reading_, to = pipe.ends[1]] {
      ignore_closed_pipes();
      std::string bytes(kPieceBytes, '\0');
      try {
        std::size_t got = 0;
        do {
          got = shared->input->read(bytes.data(), bytes.size());
        } while (got > 0 && write_all(to, std::string_view(bytes).substr(0, got)));
      } catch (...) {
        shared->input_failure = std::current_exception();
        shared->has_input_failed = true;
      }
      ::close(to);
    }).detach();
    reading.file.reset(hts_hopen(hdopen(pipe.ends[0], "r"), path.c_str(), "r"));
  }
  if (!reading.file) {
    throw IoError(reading.name, "cannot be read");
  }
  if (hts_check_EOF(reading.file.get()) == 0) {
    reading.fail();
  }
  reading.look_at_header();
  // Not before: with threads, htslib 1.16 may wait for ever at the header of a truncated BAM in a pipe.
  hts_set_threads(reading.file.get(), static_cast<int>(std::min(threads, 4u)));
}

BamText::~BamText() {
  if (reading_->input) {
    reading_->input->stop();
  }
  if (writer_.joinable()) {
    writer_.detach();
  }
}

std::string BamText::header() const { return reading_->header_text; }

std::unique_ptr<InputFile> BamText::open() {
  const Pipe pipe(reading_->name);
  auto text = std::make_unique<InputFile>("/dev/fd/" + std::to_string(pipe.ends[0]), reading_->name);
  ::close(pipe.ends[0]);
  writer_ = std::thread([reading = reading_, to = pipe.ends[1]] {
    ignore_closed_pipes();
    try {
      reading->write(to);
    } catch (...) {
      reading->failure = std::current_exception();
    }
    ::close(to);
  });
  return text;
}

void BamReading::look_at_header() {
  header.reset(sam_hdr_read(file.get()));
  if (!header) {
    throw_input_failure();
    throw InputError(name, 0, "its header is damaged; check the file with samtools quickcheck");
  }
  for (int i = 0; i < sam_hdr_count_lines(header.get(), "RG"); ++i) {
    groups.insert(sam_hdr_line_name(header.get(), "RG", i));
  }
  kstring_t order = KS_INITIALIZE;
  is_sorted =
      sam_hdr_find_tag_hd(header.get(), "SO", &order) == 0 && std::string_view(order.s, order.l) == "coordinate";
  ks_free(&order);
  const char* const text = sam_hdr_str(header.get());
  header_text = text == nullptr ? "" : text;
}

void BamReading::throw_input_failure() const {
  if (has_input_failed) {
    std::rethrow_exception(input_failure);
  }
}

void BamReading::fail() const {
  throw_input_failure();
  const auto format = hts_get_format(file.get())->format;
  throw InputError(name, 0,
                   format == cram
                       ? "this CRAM cannot be decoded: it is damaged, or its reference is not found; give it "
                         "so: samtools view -u -T THE_CRAM'S.fa FILE | trawl map REF -"
                   : format == sam ? "this SAM is damaged or not complete; samtools view -c says in which line"
                                   : "this BAM is damaged or not complete; check it with samtools quickcheck");
}

// Of a read that is mapped.
void BamReading::check(const bam1_t& record) const {
  const std::string read = std::string("the read '") + bam_get_qname(&record) + "' ";
  if ((record.core.flag & BAM_FPAIRED) != 0 && record.core.tid >= 0 && is_sorted) {
    throw InputError(name, 0, "the pairs are sorted by coordinate; group them by name: " + regroup(name));
  }
  const std::uint8_t* const tag = has_read_group ? nullptr : bam_aux_get(&record, "RG");
  const char* const group = tag == nullptr ? nullptr : bam_aux2Z(tag);
  if (group != nullptr && !groups.contains(group)) {
    throw InputError(name, 0,
                     read + "has the read group '" + group +
                         "', which the header does not have; give one for all reads with -R, or mend the file "
                         "with samtools addreplacerg");
  }
}

void BamReading::write(int to) const {
  const HtslibOwner<bam1_t> record(bam_init1());
  kstring_t line = KS_INITIALIZE;
  MateGrouper grouper(name);
  HeldRead alone;
  std::string text;
  int status = 0;
  bool is_read = true;
  try {
    while (is_read && (status = sam_read1(file.get(), header.get(), record.get())) >= 0) {
      if ((record->core.flag & (BAM_FSECONDARY | BAM_FSUPPLEMENTARY)) != 0) {
        continue;
      }
      if (sam_format1(header.get(), record.get(), &line) < 0) {
        status = -2;
        break;
      }
      if (!is_mapping) {
        set_fastq({line.s, line.l}, *record, false, alone);
        text += alone.text;
      } else {
        check(*record);
        set_fastq({line.s, line.l}, *record, true, grouper.next(bam_get_qname(record.get()), text));
      }
      if (text.size() >= kPieceBytes) {
        is_read = write_all(to, text);
        text.clear();
      }
    }
    if (status == -1) {
      grouper.flush(text);
    }
  } catch (...) {
    ks_free(&line);
    write_all(to, text);
    throw;
  }
  ks_free(&line);
  write_all(to, text);
  if (has_input_failed || status < -1 || (is_read && file->is_bgzf && file->fp.bgzf->no_eof_block)) {
    fail();
  }
}

void BamText::finish() {
  if (writer_.joinable()) {
    writer_.join();
  }
  if (reading_->failure) {
    std::rethrow_exception(reading_->failure);
  }
}

}  // namespace trawl::io
