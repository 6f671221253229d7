#include "io/out/nameless_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace trawl::io {

namespace {

std::string temporary_directory() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return value;
    }
  }
  return "/tmp";
}

}  // namespace

void NamelessFile::fail(const char* what) const {
  const int error = errno;
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw IoError(temporary_directory(), std::string(what) + " a temporary file for " + what_ + ": " +
                                           std::strerror(error) + "; " + (is_full ? "make room there, or set" : "set") +
                                           " TMPDIR to a directory that takes one");
}

NamelessFile::NamelessFile(std::string what) : what_(std::move(what)), file_(nullptr, std::fclose) {
  std::string path = temporary_directory() + "/trawl.XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) {
    fail("cannot create");
  }
  ::unlink(path.c_str());
  file_.reset(::fdopen(descriptor, "w+"));
  if (!file_) {
    ::close(descriptor);
    fail("cannot open");
  }
}

void NamelessFile::write(std::string_view bytes) {
  if (is_read_ && ::fseeko(file_.get(), static_cast<off_t>(size_), SEEK_SET) != 0) {
    fail("cannot write");
  }
  is_read_ = false;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail("cannot write");
  }
  size_ += bytes.size();
}

std::size_t NamelessFile::read(std::uint64_t at, char* to, std::size_t size) {
  // This also writes what is buffered.
  if (::fseeko(file_.get(), static_cast<off_t>(at), SEEK_SET) != 0) {
    fail("cannot write");
  }
  is_read_ = true;
  const std::size_t got = std::fread(to, 1, size, file_.get());
  if (std::ferror(file_.get()) != 0) {
    fail("cannot read");
  }
  if (got < size && at + size <= size_) {
    errno = EIO;  // somebody has made the file shorter
    fail("cannot read all of");
  }
  return got;
}

void NamelessFile::clear() {
  if (::fseeko(file_.get(), 0, SEEK_SET) != 0 || ::ftruncate(::fileno(file_.get()), 0) != 0) {
    fail("cannot write");
  }
  is_read_ = false;
  size_ = 0;
}

}  // namespace trawl::io
