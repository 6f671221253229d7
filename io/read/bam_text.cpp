#include "io/read/bam_text.hpp"

#include <fcntl.h>
#include <htslib/kstring.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/format/htslib_owner.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
constexpr char kUnknownQuality = '"';  // 1, as samtools fastq has it

// `line`: of SAM.
void append_fastq(std::string_view line, bool is_reverse, std::string& text) {
  std::string_view fields[11];
  for (std::string_view& field : fields) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  const std::string_view bases = fields[9] == "*" ? std::string_view() : fields[9];
  text.append("@").append(fields[0]);
  if (!line.empty()) {
    text.append("\t").append(line);
  }
  text += '\n';
  text += is_reverse ? sequence::reverse_complement(bases) : std::string(bases);
  text += "\n+\n";
  const std::size_t begin = text.size();
  if (fields[10] == "*" && bases.size() != 1) {
    text.append(bases.size(), kUnknownQuality);
  } else {
    text += fields[10];
  }
  if (is_reverse) {
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  }
  text += '\n';
}

}  // namespace

bool is_bam(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  if (InputFile file(path); !file.begins_with("\x1f\x8b")) {
    return false;
  }
  const HtslibOwner<htsFile> file(hts_open(path.c_str(), "r"));
  return file && hts_get_format(file.get())->format == bam;
}

BamText::BamText(std::string path, unsigned threads)
    : reading_(std::make_shared<BamReading>(BamReading{std::move(path), threads})) {}

BamText::~BamText() {
  if (writer_.joinable()) {
    writer_.detach();
  }
}

std::unique_ptr<InputFile> BamText::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw IoError(reading_->path, "no pipe can be made");
  }
  auto text = std::make_unique<InputFile>("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  writer_ = std::thread([reading = reading_, to = ends[1]] {
    // A pipe that nobody reads is no reason to end.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
      reading->write(to);
    } catch (...) {
      reading->failure = std::current_exception();
    }
    ::close(to);
  });
  return text;
}

void BamText::BamReading::write(int to) const {
  const HtslibOwner<htsFile> file(hts_open(path.c_str(), "r"));
  if (!file) {
    throw IoError(path, "cannot be read");
  }
  if (hts_check_EOF(file.get()) == 0) {
    throw InputError(path, 0, "this BAM is damaged or not complete; check it with samtools quickcheck");
  }
  hts_set_threads(file.get(), static_cast<int>(std::min(threads, 4u)));
  const HtslibOwner<sam_hdr_t> header(sam_hdr_read(file.get()));
  if (!header) {
    throw InputError(path, 0, "its header is damaged; check the file with samtools quickcheck");
  }
  const HtslibOwner<bam1_t> record(bam_init1());
  kstring_t line = KS_INITIALIZE;
  std::string text;
  int status = 0;
  while ((status = sam_read1(file.get(), header.get(), record.get())) >= 0) {
    if ((record->core.flag & (BAM_FSECONDARY | BAM_FSUPPLEMENTARY)) != 0) {
      continue;
    }
    if (sam_format1(header.get(), record.get(), &line) < 0) {
      status = -2;
      break;
    }
    append_fastq({line.s, line.l}, (record->core.flag & BAM_FREVERSE) != 0, text);
    if (text.size() >= kPieceBytes) {
      if (!write_all(to, text)) {  // nobody reads it
        break;
      }
      text.clear();
    }
  }
  ks_free(&line);
  write_all(to, text);
  if (status < -1) {
    throw InputError(path, 0, "this BAM is damaged or not complete; check it with samtools quickcheck");
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
