#include "io/in/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/in/inflater.hpp"

namespace trawl::io {
namespace {

// An open file that is closed exactly once. The standard input is left open.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) {
    if (path == "-") {
      value_ = STDIN_FILENO;
      return;
    }
    value_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (value_ < 0) {
      throw IoError(path, std::string("cannot open: ") + std::strerror(errno));
    }
    struct stat status {};
    if (::fstat(value_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(value_);
      throw IoError(path, "is a directory; name a file in it");
    }
    owned_ = true;
  }
  ~Descriptor() {
    if (owned_) {
      ::close(value_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

 private:
  int value_ = -1;
  bool owned_ = false;
};

}  // namespace

class ByteSource::Backend {
 public:
  Backend(const std::string& path, unsigned threads) : file_(path), name_(display_name(path)) {
    std::vector<char> start(2);
    start.resize(read_descriptor(file_.value(), name_, start.data(), start.size()));
    if (start.size() == 2 && start[0] == '\x1f' && start[1] == '\x8b') {
      inflater_ = std::make_unique<Inflater>(file_.value(), name_, threads, std::move(start));
    } else {
      start_ = std::move(start);
    }
  }

  std::size_t read(char* to, std::size_t size) {
    if (inflater_) {
      return inflater_->read(to, size);
    }
    std::size_t got = std::min(size, start_.size());
    std::copy_n(start_.begin(), got, to);
    start_.erase(start_.begin(), start_.begin() + static_cast<std::ptrdiff_t>(got));
    got += read_descriptor(file_.value(), name_, to + got, size - got);
    plain_bytes_ += got;
    return got;
  }

  std::uint64_t consumed() const { return inflater_ ? inflater_->consumed() : plain_bytes_; }

 private:
  Descriptor file_;
  std::string name_;
  std::vector<char> start_;  // the first bytes, read to find out the file's format
  std::unique_ptr<Inflater> inflater_;
  std::uint64_t plain_bytes_ = 0;
};

ByteSource::ByteSource(const std::string& path, unsigned threads)
    : backend_(std::make_unique<Backend>(path, threads)), name_(display_name(path)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

std::size_t ByteSource::read(char* to, std::size_t size) { return backend_->read(to, size); }
const std::string& ByteSource::name() const { return name_; }
std::uint64_t ByteSource::consumed() const { return backend_->consumed(); }

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace trawl::io
