#include "io/write/nameless_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace trawl::io {

std::string temporary_directory() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return value;
    }
  }
  return "/tmp";
}

void fail_temporary(const char* what, const std::string& content, const std::string& directory) {
  const int error = errno;
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  const bool is_many = error == EMFILE || error == ENFILE;
  const std::string other = directory.empty() ? "set TMPDIR to a directory that takes one" : "name another folder";
  throw IoError(directory.empty() ? temporary_directory() : directory,
                std::string(what) + " a temporary file for " + content + ": " + std::strerror(error) + "; " +
                    (is_many   ? "allow more open files (ulimit -n)"
                     : is_full ? "make room there, or " + other
                               : other));
}

void NamelessFile::fail(const char* what) const { fail_temporary(what, what_, directory_); }

NamelessFile::NamelessFile(std::string what, std::string where) : what_(std::move(what)), directory_(std::move(where)) {
  const std::string directory = directory_.empty() ? temporary_directory() : directory_;
  descriptor_ = TEMP_FAILURE_RETRY(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (descriptor_ >= 0) {
    return;
  }
  // Not every file system can make a file without a name. Here the name exists for a moment.
  std::string path = directory + "/trawl.XXXXXX";
  descriptor_ = TEMP_FAILURE_RETRY(::mkostemp(path.data(), O_CLOEXEC));
  if (descriptor_ < 0) {
    fail("cannot create");
  }
  ::unlink(path.c_str());
}

NamelessFile::~NamelessFile() { ::close(descriptor_); }

void NamelessFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (n < 0 && errno != EINTR) {
      fail("cannot write");
    }
    bytes.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
    size_ += n < 0 ? 0 : static_cast<std::uint64_t>(n);
  }
}

std::size_t NamelessFile::read(std::uint64_t at, char* to, std::size_t size) const {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(descriptor_, to + got, size - got, static_cast<off_t>(at + got));
    if (n < 0 && errno != EINTR) {
      fail("cannot read");
    }
    if (n == 0) {
      break;
    }
    got += n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  if (got < size && at + size <= size_) {
    errno = EIO;  // somebody has made the file shorter
    fail("cannot read all of");
  }
  return got;
}

void NamelessFile::clear() {
  if (::ftruncate(descriptor_, 0) != 0) {
    fail("cannot write");
  }
  size_ = 0;
}

void HeldText::append(std::string_view text) {
  text_ += text;
  if (text_.size() > most_bytes_) {
    if (!file_) {
      file_ = std::make_unique<NamelessFile>("lines that wait");
    }
    file_->write(text_);
    text_.clear();
  }
}

void HeldText::read(const std::function<void(std::string_view)>& take) const {
  constexpr std::uint64_t copy_size = std::uint64_t{4} << 20;
  std::string some(std::min(spilled(), copy_size), '\0');
  for (std::uint64_t at = 0; at < spilled();) {
    const std::size_t size = file_->read(at, some.data(), some.size());
    take({some.data(), size});
    at += size;
  }
  if (!text_.empty()) {
    take(text_);
  }
}

}  // namespace trawl::io
