#include "io/write/stored_record.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "base/packer.hpp"

namespace trawl::io {

namespace {

// Which of its texts a record has.
enum Has : std::uint8_t { kTexts = 1, kHaplotype = 2, kUngapped = 4 };

void get(Unpacker& from, scan::SiteRecord& record) {
  std::apply([&](auto&... all) { (from.get(all), ...); }, scan::numbers_of(record));
  record.texts.reset();
  const auto has = from.number<std::uint8_t>();
  if ((has & kTexts) == 0) {
    return;
  }
  record.texts = std::make_unique<scan::RecordTexts>();
  for (std::string* const text : {&record.texts->cigar, &record.texts->md, &record.texts->text}) {
    *text = from.text();
  }
  if ((has & kHaplotype) != 0) {
    scan::HaplotypeTexts haplotype;
    haplotype.alleles = from.text();
    haplotype.samples = from.text();
    record.texts->haplotype = std::make_shared<const scan::HaplotypeTexts>(std::move(haplotype));
  }
  if ((has & kUngapped) != 0) {
    scan::SiteRecord ungapped;
    get(from, ungapped);
    record.texts->ungapped = std::make_shared<const scan::SiteRecord>(std::move(ungapped));
  }
}

void add(const scan::SiteRecord& record, Packer& to) {
  std::apply([&](const auto&... all) { (to.add(all), ...); }, scan::numbers_of(record));
  const scan::RecordTexts* const texts = record.texts.get();
  const bool has_haplotype = texts != nullptr && texts->haplotype, has_ungapped = texts != nullptr && texts->ungapped;
  to.number(static_cast<std::uint8_t>((texts != nullptr ? kTexts : 0) | (has_haplotype ? kHaplotype : 0) |
                                      (has_ungapped ? kUngapped : 0)));
  if (texts != nullptr) {
    to.text(texts->cigar).text(texts->md).text(texts->text);
  }
  if (has_haplotype) {
    to.text(texts->haplotype->alleles).text(texts->haplotype->samples);
  }
  if (has_ungapped) {
    add(*texts->ungapped, to);
  }
}

}  // namespace

// Its size comes first.
void append_record(std::string& bytes, const scan::SiteRecord& record) {
  const std::size_t begin = bytes.size();
  Packer to(std::move(bytes));
  to.number(std::uint64_t{0});
  add(record, to);
  bytes = to.take();
  const std::uint64_t size = bytes.size() - begin;
  std::memcpy(bytes.data() + begin, &size, sizeof size);
}

std::size_t parse_record(std::string_view bytes, scan::SiteRecord& record) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) {
    return 0;
  }
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() < size) {
    return 0;
  }
  Unpacker from(bytes.substr(sizeof size));
  get(from, record);
  return size;
}

}  // namespace trawl::io
