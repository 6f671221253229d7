#include "io/write/scan_sink.hpp"

#include <cstdint>
#include <utility>

#include "io/write/sam_header.hpp"

namespace trawl::io {
ScanSink::ScanSink(const ScanSinkOptions& options, sequence::PatternList patterns)
    : options_(options),
      format_(scan_format(options.path)),
      lines_(format_, std::move(patterns), options.threads, options.more),
      output_(options.path, level_of(format_, options.compression_level)),
      arena_(static_cast<int>(options.threads)) {
  if (is_table(format_) || is_gff(format_)) {
    write(table_header(format_, options.more));
  } else if (format_ == ScanFormat::sam) {
    spool_.emplace("SAM records");
  }
}

ScanSink::~ScanSink() = default;

void ScanSink::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) {
  lines_.write(records, contig_names, [&](std::string_view some) { add(some); });
  flush();
}

void ScanSink::write(std::string_view lines) {
  add(lines);
  flush();
}

void ScanSink::add(std::string_view lines) {
  if (spool_) {
    spool_->write(lines);
    return;
  }
  text_ += lines;
  if (text_.size() >= kCompressSize) {
    flush();
  }
}

void ScanSink::flush() {
  if (!text_.empty()) {
    arena_.execute([&] { output_.write(text_); });
    text_.clear();
  }
}

void ScanSink::close(const std::vector<sequence::Contig>& contigs, const std::vector<std::string>& md5s) {
  if (spool_) {
    SinkOptions header;
    header.command_line = options_.command_line;
    header.version = options_.version;
    output_.write(sam_header(header, contigs, md5s, RecordOrder::by_place));
    std::string text(kCompressSize, '\0');
    std::uint64_t at = 0;
    while (const std::size_t n = spool_->read(at, text.data(), text.size())) {
      output_.write(std::string_view(text).substr(0, n));
      at += n;
    }
  }
  output_.close();
}

}  // namespace trawl::io
