#include "ranks/scan_messages.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "base/packer.hpp"
#include "io/write/stored_record.hpp"

namespace trawl::ranks {

namespace {

template <class T>
void put_array(Packer& packer, std::span<const T> values) {
  packer.text({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

// Shows the array in the message. Only multiples of 8 bytes are before it, so it is aligned if the message is.
template <class T>
sequence::HugeArray<T> shown_array(Unpacker& unpacker, const std::shared_ptr<const void>& owner) {
  const std::string_view bytes = unpacker.text();
  const std::size_t size = bytes.size() / sizeof(T);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0) {
    return sequence::HugeArray<T>::view(owner, reinterpret_cast<const T*>(bytes.data()), size);
  }
  sequence::HugeArray<T> copy(size);
  std::memcpy(copy.data(), bytes.data(), size * sizeof(T));
  return copy;
}

std::string text_of(const scan::SiteRecord& record) {
  std::string text;
  io::append_record(text, record);
  return text;
}

void put_part(Packer& packer, const scan::RunPart& part) {
  packer.number(part.query).number(part.rank).number(part.contig).number(part.last_key);
  packer.number(part.is_given).number(part.is_head).text(text_of(part.best.record));
  packer.number(part.best.cfd).number(part.best.path.start).numbers(part.best.path.runs);
  packer.number(std::uint64_t{part.ungapped.size()});
  for (const scan::UngappedSite& site : part.ungapped) {
    packer.number(site.rank).number(site.is_given).number(site.cfd).text(text_of(site.record));
  }
}

scan::RunPart part_of(Unpacker& unpacker) {
  scan::RunPart part;
  part.query = unpacker.number<std::uint32_t>();
  part.rank = unpacker.number<std::uint32_t>();
  part.contig = unpacker.number<std::uint64_t>();
  part.last_key = unpacker.number<std::uint64_t>();
  part.is_given = unpacker.number<bool>();
  part.is_head = unpacker.number<bool>();
  io::parse_record(unpacker.text(), part.best.record);
  part.best.cfd = unpacker.number<double>();
  part.best.path.start = unpacker.number<std::uint64_t>();
  part.best.path.runs = unpacker.numbers<align::AlignedRun>();
  for (auto n = unpacker.number<std::uint64_t>(); n > 0; --n) {
    scan::UngappedSite& site = part.ungapped.emplace_back();
    site.rank = unpacker.number<std::uint32_t>();
    site.is_given = unpacker.number<bool>();
    site.cfd = unpacker.number<double>();
    io::parse_record(unpacker.text(), site.record);
  }
  return part;
}

}  // namespace

std::string packed(const sequence::TextChunk& chunk) {
  const sequence::Reference& reference = chunk.reference;
  Packer packer;
  packer.number(chunk.input_bytes);
  put_array(packer, reference.planes());
  put_array(packer, reference.ambiguous());
  packer.numbers(reference.ambiguous_runs()).numbers(chunk.slices);
  packer.number(std::uint64_t{reference.contigs().size()});
  for (const sequence::Contig& contig : reference.contigs()) {
    packer.number(contig.offset).number(contig.length).text(contig.name);
  }
  return packer.take();
}

sequence::TextChunk chunk_of(const ranks::Message& message) {
  Unpacker unpacker(message.view());
  const std::shared_ptr<const void> owner(message.bytes, message.bytes.get());
  sequence::TextChunk read;
  read.input_bytes = unpacker.number<std::uint64_t>();
  sequence::Reference::Parts parts;
  parts.planes = shown_array<sequence::PlaneBlock>(unpacker, owner);
  parts.ambiguous = shown_array<std::uint64_t>(unpacker, owner);
  parts.summary = sequence::summarise({parts.ambiguous.data(), parts.ambiguous.size()});
  parts.runs = unpacker.numbers<sequence::AmbiguousRun>();
  read.slices = unpacker.numbers<sequence::ContigSlice>();
  for (auto contigs = unpacker.number<std::uint64_t>(); contigs > 0; --contigs) {
    sequence::Contig contig;
    contig.offset = unpacker.number<std::uint64_t>();
    contig.length = unpacker.number<std::uint64_t>();
    contig.name = unpacker.text();
    parts.contigs.push_back(std::move(contig));
  }
  read.reference = sequence::Reference(std::move(parts));
  return read;
}

std::string packed(const FoundMessage& message) {
  Packer packer;
  packer.add(message);
  for (const auto* parts : {&message.found.parts.heads, &message.found.parts.open}) {
    packer.number(std::uint64_t{parts->size()});
    for (const scan::RunPart& part : *parts) {
      put_part(packer, part);
    }
  }
  return packer.take();
}

FoundMessage found_of(std::string_view bytes) {
  Unpacker unpacker(bytes);
  FoundMessage read;
  unpacker.get(read);
  for (auto* parts : {&read.found.parts.heads, &read.found.parts.open}) {
    for (auto n = unpacker.number<std::uint64_t>(); n > 0; --n) {
      parts->push_back(part_of(unpacker));
    }
  }
  return read;
}

std::string packed(const sequence::PatternList& patterns) {
  Packer packer;
  packer.number(std::uint64_t{patterns.size()});
  for (const auto [name, bases] : patterns) {
    packer.text(name).text(bases);
  }
  return packer.take();
}

sequence::PatternList patterns_of(std::string_view bytes) {
  Unpacker unpacker(bytes);
  sequence::PatternList patterns;
  for (auto n = unpacker.number<std::uint64_t>(); n > 0; --n) {
    const std::string_view name = unpacker.text();
    patterns.add(name, unpacker.text());
  }
  return patterns;
}

}  // namespace trawl::ranks
