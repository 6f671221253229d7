#include "io/index/saved_index.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "io/format/letters.hpp"
#include "io/index/index_layout.hpp"
#include "io/read/gzip/input_file.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kMd5Letters = 32;

std::string pack_contigs(const SavedIndex& index) {
  Packer fields;
  for (std::size_t i = 0; i < index.md5s.size(); ++i) {
    const sequence::Contig& contig = index.reference.searched().contigs()[i];
    fields.number(contig.offset).number(contig.length).text(contig.name).text(index.md5s[i]);
  }
  return fields.take();
}

// Of the contigs that are circular: which one, and how many letters are repeated.
std::string pack_circles(const sequence::Reference& reference) {
  Packer fields;
  const auto& contigs = reference.searched().contigs();
  for (std::size_t i = 0; i < contigs.size(); ++i) {
    if (contigs[i].topology.circular) {
      fields.number(static_cast<std::uint64_t>(i)).number(contigs[i].topology.repeated);
    }
  }
  return fields.take();
}

void unpack_circles(const std::string& path, Unpacker fields, std::vector<sequence::Contig>& contigs) {
  while (!fields.at_end()) {
    const auto number = fields.number<std::uint64_t>();
    const auto repeated = fields.number<std::uint64_t>();
    if (number >= contigs.size() || contigs[number].topology.circular || repeated % 64 != 0 ||
        repeated >= contigs[number].length || contigs[number].length - repeated <= repeated) {
      fail_damaged(path, "its circular contigs do not fit");
    }
    contigs[number].topology = {true, repeated};
  }
}

// Whether a contig may follow the positions before `free`, and leaves room for the gap after it.
bool fits(const sequence::Contig& contig, std::uint64_t free, std::uint64_t size) {
  return contig.offset % 64 == 0 && contig.offset >= free && contig.offset - free >= sequence::kContigGap &&
         contig.length > 0 && contig.offset < size && contig.length < size - contig.offset &&
         size - contig.offset - contig.length >= sequence::kContigGap;
}

void unpack_contigs(const std::string& path, Unpacker fields, std::uint64_t size,
                    std::vector<sequence::Contig>& contigs, std::vector<std::string>& md5s) {
  std::unordered_set<std::string> names;
  std::uint64_t free = 0;
  while (!fields.at_end()) {
    sequence::Contig contig;
    contig.offset = fields.number<std::uint64_t>();
    contig.length = fields.number<std::uint64_t>();
    contig.name = fields.text();
    md5s.emplace_back(fields.text());
    if (!fits(contig, free, size)) {
      fail_damaged(path, "its contigs do not fit together");
    }
    if (contig.name.empty() || find_not_in_sam_name(contig.name) < contig.name.size() ||
        md5s.back().size() != kMd5Letters || find_not_in_sam_name(md5s.back()) < kMd5Letters ||
        !names.insert(contig.name).second) {
      fail_damaged(path, "its contigs have wrong names");
    }
    free = contig.offset + contig.length;
    contigs.push_back(std::move(contig));
  }
  if (contigs.empty()) {
    fail_damaged(path, "it has no contigs");
  }
}

std::string pack_runs(const std::vector<sequence::AmbiguousRun>& runs) {
  Packer fields;
  for (const sequence::AmbiguousRun& run : runs) {
    fields.number(run.begin).number(run.length).number(run.letter);
  }
  return fields.take();
}

std::vector<sequence::AmbiguousRun> unpack_runs(const std::string& path, Unpacker fields,
                                                const std::vector<sequence::Contig>& contigs) {
  std::vector<sequence::AmbiguousRun> runs;
  std::size_t c = 0;
  std::uint64_t free = 0;
  while (!fields.at_end()) {
    sequence::AmbiguousRun run;
    run.begin = fields.number<std::uint64_t>();
    run.length = fields.number<std::uint64_t>();
    run.letter = fields.number<char>();
    while (c < contigs.size() && run.begin >= contigs[c].offset + contigs[c].length) {
      ++c;
    }
    if (c == contigs.size() || run.begin < std::max(contigs[c].offset, free) || run.length == 0 ||
        run.length > contigs[c].offset + contigs[c].length - run.begin ||
        sequence::base_code(run.letter) != sequence::kAmbiguous || sequence::iupac_set(run.letter) == 0 ||
        sequence::upper_base(run.letter) != run.letter) {
      fail_damaged(path, "its ambiguous letters do not fit its contigs");
    }
    free = run.begin + run.length;
    runs.push_back(run);
  }
  return runs;
}

// Matches must not leave a contig, so all positions of the gaps must be ambiguous, and the summary must say so.
void check_gaps(const std::string& path, const sequence::Reference& reference) {
  const auto check = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at = at / 64 * 64 + 64) {
      const std::uint64_t gap = ~std::uint64_t{0} << (at % 64);
      if ((reference.ambiguous()[at / 64] & gap) != gap || !reference.block_has_ambiguous(at / 64)) {
        fail_damaged(path, "the gaps between its contigs are not empty");
      }
    }
  };
  std::uint64_t free = 0;
  for (const sequence::Contig& contig : reference.contigs()) {
    check(free, contig.offset);
    free = contig.offset + contig.length;
  }
  check(free, reference.size());
}

template <class T>
std::string_view bytes_of(const T* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size * sizeof(T)};
}

// The sections of a file, by their kinds.
class SectionReader {
 public:
  SectionReader(const std::string& path, std::string_view file, std::vector<IndexSection> sections)
      : path_(path), file_(file), sections_(std::move(sections)) {}

  std::string_view bytes(const IndexSection& section) const { return file_.substr(section.begin, section.bytes); }

  void check_crc(const IndexSection& section) const {
    if (parallel_crc(bytes(section)) != section.crc) {
      fail_damaged(path_,
                   "section " + std::to_string(static_cast<unsigned>(section.kind)) + " is not as it was written");
    }
  }

  // The section of a kind that occurs once.
  const IndexSection& only(SectionKind kind) const {
    const IndexSection* found = nullptr;
    for (const IndexSection& section : sections_) {
      if (section.kind == kind) {
        if (found != nullptr) {
          fail_damaged(path_, "it has a section twice");
        }
        found = &section;
      }
    }
    if (found == nullptr) {
      fail_damaged(path_, "it lacks a section");
    }
    return *found;
  }

  // The fields of a small section, after its checksum was compared.
  Unpacker fields(SectionKind kind) const {
    const IndexSection& section = only(kind);
    check_crc(section);
    return Unpacker(bytes(section), [path = path_] { fail_damaged(path, "a section ends too early"); });
  }

  template <class T>
  sequence::HugeArray<T> array(const IndexSection& section, std::shared_ptr<const void> owner,
                               std::uint64_t size) const {
    if (section.bytes != size * sizeof(T)) {
      fail_damaged(path_, "a section has a wrong length");
    }
    return sequence::HugeArray<T>::view(std::move(owner), reinterpret_cast<const T*>(file_.data() + section.begin),
                                        size);
  }

  const std::vector<IndexSection>& all() const { return sections_; }

 private:
  const std::string& path_;
  std::string_view file_;
  std::vector<IndexSection> sections_;
};

std::shared_ptr<const seed::SeedIndex> read_seeds(const std::string& path, const SectionReader& sections, unsigned q,
                                                  std::uint64_t size, const std::shared_ptr<const void>& owner) {
  if (q < seed::SeedIndex::kMinQ || q > seed::SeedIndex::kMaxQ) {
    fail_damaged(path, "its seeds have a wrong length");
  }
  const std::uint64_t keys = std::uint64_t{1} << (2 * q);
  std::vector<seed::SeedIndex::Shard> shards;
  const auto& all = sections.all();
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != SectionKind::offsets) {
      continue;
    }
    const bool has_positions = i + 1 < all.size() && all[i + 1].kind == SectionKind::positions;
    const std::uint64_t end = all[i].shard_end;
    if (!has_positions || all[i].shard_begin != begin || end <= begin || end > size || end % 64 != 0 ||
        end - begin > std::numeric_limits<std::uint32_t>::max()) {
      fail_damaged(path, "the parts of its seed index do not fit together");
    }
    const IndexSection& positions = all[i + 1];
    if (positions.bytes % sizeof(std::uint32_t) != 0 || positions.bytes / sizeof(std::uint32_t) > end - begin) {
      fail_damaged(path, "a part of its seed index has a wrong length");
    }
    seed::SeedIndex::Shard shard;
    shard.begin = begin;
    shard.end = end;
    shard.offsets = sections.array<std::uint32_t>(all[i], owner, keys + 1);
    shard.positions = sections.array<std::uint32_t>(positions, owner, positions.bytes / sizeof(std::uint32_t));
    shards.push_back(std::move(shard));
    begin = end;
  }
  if (begin != size) {
    fail_damaged(path, "its seed index does not cover its reference");
  }
  return std::make_shared<seed::SeedIndex>(q, std::move(shards));
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
};

[[noreturn]] void fail_to_read(const std::string& path) {
  throw IoError(path, std::string("cannot read: ") + std::strerror(errno));
}

// A file mapped into memory, for as long as `owner` lives.
struct MappedFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

MappedFile map_file(const std::string& path) {
  const Descriptor file{static_cast<int>(TEMP_FAILURE_RETRY(::open(path.c_str(), O_RDONLY | O_CLOEXEC)))};
  struct stat status {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) {
    fail_to_read(path);
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return {};
  }
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number, 0);
  if (memory == MAP_FAILED) {
    fail_to_read(path);
  }
#ifdef MADV_HUGEPAGE
  // Where the file system supports it, the file is then read and mapped in huge pages; else it changes nothing.
  ::madvise(memory, size, MADV_HUGEPAGE);
#endif
  return {{static_cast<const char*>(memory), size},
          std::shared_ptr<const void>(memory, [size](const void* p) { ::munmap(const_cast<void*>(p), size); })};
}

}  // namespace

std::uint64_t save_index(const SavedIndex& index, OutputFile& file, const WriteProgress& progress) {
  const sequence::Reference& reference = index.reference.searched();
  const std::string fasta = Packer().add(index.fasta).take();
  const std::string contigs = pack_contigs(index);
  const std::string runs = pack_runs(reference.ambiguous_runs());
  const std::string circles = pack_circles(reference);
  const auto summary = sequence::summarise(reference.ambiguous());
  std::vector<IndexSection> sections;
  std::vector<std::string_view> contents;
  const auto add = [&](SectionKind kind, std::string_view bytes, std::uint64_t begin = 0, std::uint64_t end = 0) {
    sections.push_back({kind, parallel_crc(bytes), 0, bytes.size(), begin, end});
    contents.push_back(bytes);
  };
  add(SectionKind::source, fasta);
  add(SectionKind::contigs, contigs);
  add(SectionKind::runs, runs);
  if (!circles.empty()) {
    add(SectionKind::circles, circles);
  }
  add(SectionKind::summary, bytes_of(summary.data(), summary.size()));
  add(SectionKind::ambiguous, bytes_of(reference.ambiguous().data(), reference.ambiguous().size()));
  add(SectionKind::planes, bytes_of(reference.planes().data(), reference.planes().size()));
  for (const auto& shard : index.seeds->shards()) {
    add(SectionKind::offsets, bytes_of(shard.offsets.data(), shard.offsets.size()), shard.begin, shard.end);
    add(SectionKind::positions, bytes_of(shard.positions.data(), shard.positions.size()), shard.begin, shard.end);
  }
  FileHeader header;
  header.format = circles.empty() ? kIndexFormat : kCircularIndexFormat;
  header.q = index.seeds->q();
  place_sections(header, sections);

  std::uint64_t done = 0;
  const auto write = [&](std::string_view bytes) {
    constexpr std::size_t kPiece = std::size_t{8} << 20;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      const std::string_view piece = bytes.substr(at, kPiece);
      file.write(piece);
      done += piece.size();
      if (progress) {
        progress(done, header.file_bytes);
      }
    }
  };
  write(bytes_of(&header, 1));
  write(bytes_of(sections.data(), sections.size()));
  const std::string zeros(kHugePage, '\0');
  for (std::size_t i = 0; i < sections.size(); ++i) {
    write(std::string_view(zeros).substr(0, sections[i].begin - done));
    write(contents[i]);
  }
  return done;
}

bool is_saved_index(const std::string& path) {
  try {
    return file_size(path) && path != "-" &&
           InputFile(path).begins_with({reinterpret_cast<const char*>(kIndexMagic.data()), kIndexMagic.size()});
  } catch (const IoError&) {
    return false;
  }
}

SavedIndex read_saved_index(const std::string& path, std::string_view file, std::shared_ptr<const void> owner) {
  FileHeader header;
  const SectionReader sections(path, file, read_layout(path, file, header));
  SavedIndex index;
  sections.fields(SectionKind::source).get(index.fasta);

  sequence::Reference::Parts parts;
  const IndexSection& ambiguous = sections.only(SectionKind::ambiguous);
  const IndexSection& summary = sections.only(SectionKind::summary);
  const std::uint64_t words = ambiguous.bytes / sizeof(std::uint64_t);
  unpack_contigs(path, sections.fields(SectionKind::contigs), 64 * words, parts.contigs, index.md5s);
  if (header.format == kCircularIndexFormat) {
    unpack_circles(path, sections.fields(SectionKind::circles), parts.contigs);
  }
  parts.runs = unpack_runs(path, sections.fields(SectionKind::runs), parts.contigs);
  sections.check_crc(summary);
  parts.summary = sections.array<std::uint64_t>(summary, owner, (words + 63) / 64);
  parts.ambiguous = sections.array<std::uint64_t>(ambiguous, owner, words);
  parts.planes = sections.array<sequence::PlaneBlock>(sections.only(SectionKind::planes), owner, words);
  index.reference = sequence::Reference(std::move(parts));
  check_gaps(path, index.reference);
  index.seeds = read_seeds(path, sections, header.q, index.reference.size(), owner);
  index.reference = sequence::Reference::without_repeats(std::move(index.reference));
  return index;
}

SavedIndex open_saved_index(const std::string& path) {
  MappedFile file = map_file(path);
  return read_saved_index(path, file.bytes, std::move(file.owner));
}

void check_saved_index(const std::string& path) {
  const MappedFile file = map_file(path);
  FileHeader header;
  const SectionReader sections(path, file.bytes, read_layout(path, file.bytes, header));
  for (const IndexSection& section : sections.all()) {
    sections.check_crc(section);
  }
  read_saved_index(path, file.bytes, file.owner);
}

}  // namespace trawl::io
