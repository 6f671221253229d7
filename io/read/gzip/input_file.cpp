#include "io/read/gzip/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "io/format/gzip_format.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/decompressor.hpp"

namespace trawl::io {

InputFile::InputFile(const std::string& path, const std::string& name)
    : name_(name.empty() ? display_name(path) : name) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    descriptor_ = TEMP_FAILURE_RETRY(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor_ < 0) {
      throw IoError(name_, std::string("cannot open: ") + std::strerror(errno));
    }
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      if (descriptor_ != STDIN_FILENO) {
        ::close(descriptor_);
      }
      throw IoError(name_, "is a directory; name a file in it");
    }
    const off_t at = S_ISREG(status.st_mode) ? ::lseek(descriptor_, 0, SEEK_CUR) : -1;
    if (at >= 0) {
      is_regular_ = true;
      start_ = static_cast<std::uint64_t>(at);
      size_ = static_cast<std::uint64_t>(std::max(status.st_size, at)) - start_;
      ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  if (!is_regular_) {
    stop_event_ = ::eventfd(0, EFD_CLOEXEC);
  }
}

InputFile::~InputFile() {
  if (descriptor_ != STDIN_FILENO) {
    ::close(descriptor_);
  }
  if (stop_event_ >= 0) {
    ::close(stop_event_);
  }
}

void InputFile::fail(int error) const { throw IoError(name_, std::string("cannot read: ") + std::strerror(error)); }

std::string InputFile::start(std::size_t size) {
  std::string start(std::max(size, first_.size()), '\0');
  start.resize(is_regular_ ? read_at(0, start.data(), start.size()) : read(start.data(), start.size()));
  if (!is_regular_) {
    first_ = start;
  }
  start.resize(std::min(size, start.size()));
  return start;
}

// Waits until read() would not; false after stop().
bool InputFile::wait_for_data() const {
  if (stop_event_ < 0) {
    return !stopped_;
  }
  pollfd events[2] = {{descriptor_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
  while (::poll(events, 2, -1) < 0 && errno == EINTR) {
  }
  return !stopped_;
}

std::size_t InputFile::read(char* to, std::size_t size) {
  if (is_regular_) {
    const std::size_t got = stopped_ ? 0 : read_at(offset_, to, size);
    offset_ += got;
    return got;
  }
  std::size_t got = std::min(size, first_.size());
  std::copy_n(first_.begin(), got, to);
  first_.erase(0, got);
  while (got < size && error_ == 0 && wait_for_data()) {
    const ssize_t n = ::read(descriptor_, to + got, size - got);
    if (n > 0) {
      got += static_cast<std::size_t>(n);
      received_ += static_cast<std::uint64_t>(n);
    } else if (n == 0) {
      break;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  if (got == 0 && size > 0 && error_ != 0) {
    fail(error_);
  }
  return got;
}

std::size_t InputFile::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(descriptor_, to + got, size - got, static_cast<off_t>(start_ + offset + got));
    if (n > 0) {
      got += static_cast<std::size_t>(n);
    } else if (n == 0) {
      break;
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
  return got;
}

void InputFile::stop() {
  stopped_ = true;
  if (stop_event_ >= 0) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(stop_event_, &one, sizeof one);
  }
}

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";
// Bytes of the file that are looked at: first a few, because a pipe may bring the next ones late, then more.
constexpr std::size_t kFirst = 64, kMost = std::size_t{1} << 20;

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with(kMark)) {
    text.remove_prefix(kMark.size());
  }
  while (!text.empty() && (is_space(text.front()) || text.front() == '\n')) {
    text.remove_prefix(1);
  }
  return text;
}

// zlib, and not InflateStream, because it also reads the headers of members.
struct Inflation {
  Inflation() {
    constexpr int gzip = 15 + 16;
    if (inflateInit2(&stream, gzip) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  z_stream stream{};
};

// Adds to a text that has no blanks before it; a file may begin with millions of empty lines.
void append_text(std::string_view more, std::string& text) {
  text += more;
  text.erase(0, text.size() - without_blanks(text).size());
}

// The text that begins `bytes`, until it has `least` characters without blanks before them.
std::string inflated_start(std::string& bytes, std::size_t least) {
  Inflation inflation;
  z_stream& stream = inflation.stream;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 256> some;
  while (text.size() < least) {
    stream.next_out = reinterpret_cast<Bytef*>(some.data());
    stream.avail_out = static_cast<uInt>(some.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    append_text({some.data(), some.size() - stream.avail_out}, text);
    // BGZF, and files that were put together, have several members; the first may be empty.
    if (status == Z_STREAM_END ? inflateReset(&stream) != Z_OK : status != Z_OK) {
      break;
    }
  }
  return text;
}

std::string decompressed_start(const std::string& bytes, Decompressor& decompressor, std::size_t least) {
  std::string text;
  std::array<char, 256> some;
  const char* in = bytes.data();
  for (bool is_good = true; is_good && text.size() < least;) {
    const char* const before = in;
    char* out = some.data();
    is_good = decompressor.run(in, bytes.data() + bytes.size(), false, out, some.data() + some.size()) &&
              (in != before || out != some.data());
    append_text({some.data(), out}, text);
  }
  return text;
}

}  // namespace

std::string text_start(InputFile& file, std::size_t least) {
  for (std::size_t size = kFirst;; size *= 16) {
    std::string bytes = file.start(size);
    const bool is_all = bytes.size() < size || size >= kMost;
    const auto decompressor = make_decompressor(bytes);
    const std::string text = bytes.starts_with(kGzipMagic) ? inflated_start(bytes, least)
                             : decompressor                ? decompressed_start(bytes, *decompressor, least)
                                                           : std::move(bytes);
    if (const std::string_view start = without_blanks(text); start.size() >= least || is_all) {
      return std::string(start.substr(0, least));
    }
  }
}

std::string file_sample(const std::string& path) {
  constexpr std::uint64_t pieces = 64;
  constexpr std::uint64_t piece = std::uint64_t{1} << 16;
  if (path == "-" || !file_size(path)) {
    return "";
  }
  const InputFile file(path);
  const std::uint64_t size = file.size();
  std::string text;
  for (std::uint64_t p = 0; p < pieces && p * piece < size; ++p) {
    const std::uint64_t at = size <= pieces * piece ? p * piece : (size - piece) / (pieces - 1) * p;
    const std::size_t before = text.size();
    text.resize(before + std::min(piece, size - at));
    text.resize(before + file.read_at(at, text.data() + before, text.size() - before));
  }
  return std::to_string(size) + " bytes, " + std::to_string(crc32_of(text.data(), text.size()));
}

}  // namespace trawl::io
