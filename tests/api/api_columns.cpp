// Prints what the library finds, for a comparison with what the program writes:
//   api_columns map REF READS [MATES] [name=value...]    the columns of SAM, and of its tags those of the library
//   api_columns memory REF READS [MATES] [name=value...] the same, but the reads are given in memory
//   api_columns scan REF PATTERNS [name=value...]        contig, start, end, name, strand, distance, CIGAR, letters
//   api_columns scan_file, scan_stream, scan_text        the same, from the file, from pieces of it, contig by contig
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "trawl/trawl.hpp"

namespace {

struct Arguments {
  std::vector<std::string> files;
  trawl::Options options;
};

Arguments parse(int argc, char** argv) {
  Arguments all;
  for (int i = 2; i < argc; ++i) {
    const std::string text = argv[i];
    if (const std::size_t equals = text.find('='); equals != text.npos) {
      all.options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    } else {
      all.files.push_back(text);
    }
  }
  return all;
}

void print(const trawl::Alignments& rows, const trawl::Reference& reference) {
  const auto contig = [&](std::int32_t c) {
    return c < 0 ? "*" : reference.contigs()[static_cast<std::size_t>(c)].name.c_str();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string cigar = rows.cigar_of(i);
    std::printf("%s\t%d\t%s\t%lld\t%lld\t%d\t%s\t%s\t%lld\t%lld", std::string(rows.names[rows.read[i]]).c_str(),
                rows.flag[i], contig(rows.contig[i]), static_cast<long long>(rows.start[i] + 1),
                static_cast<long long>(rows.end[i]), rows.mapq[i], cigar.empty() ? "*" : cigar.c_str(),
                contig(rows.mate_contig[i]), static_cast<long long>(rows.mate_start[i] + 1),
                static_cast<long long>(rows.template_length[i]));
    if (rows.is_found(i)) {
      std::printf("\t%d\t%d\t%s\t%u\t%u", rows.edits[i], rows.score[i], std::string(rows.md[i]).c_str(),
                  rows.is_supplementary(i) ? 0 : rows.count[i], rows.is_supplementary(i) ? 0 : rows.dropped[i]);
    }
    std::printf("\n");
  }
}

void map(const Arguments& given, bool in_memory) {
  const trawl::Reference reference(given.files.at(0));
  const trawl::Mapper mapper(reference, given.options);
  const trawl::ReadFiles files{given.files.at(1), given.files.size() > 2 ? given.files[2] : ""};
  if (!in_memory) {
    mapper.map_files(files, [&](const trawl::Alignments& batch) {
      print(batch, reference);
      return true;
    });
    return;
  }
  // The reads of the files, as the library gives them back.
  std::vector<std::string> names, bases, qualities;
  mapper.map_files(files, [&](const trawl::Alignments& batch) {
    for (std::size_t i = 0; i < batch.names.size(); ++i) {
      names.emplace_back(batch.names[i]);
      bases.emplace_back(batch.bases[i]);
      qualities.emplace_back(batch.qualities[i]);
    }
    return true;
  });
  std::vector<trawl::Read> reads[2];
  for (std::size_t i = 0; i < names.size(); ++i) {
    reads[files.mates.empty() ? 0 : i % 2].emplace_back(bases[i], qualities[i], names[i]);
  }
  print(files.mates.empty() ? mapper.map(reads[0]) : mapper.map_pairs(reads[0], reads[1]), reference);
}

void print(const trawl::Hits& hits, const trawl::Scanner& scanner, const std::string* contig = nullptr) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    std::printf("%s\t%lld\t%lld\t%s\t%c\t%d\t%s\t%s\n",
                contig ? contig->c_str() : hits.contigs[static_cast<std::size_t>(hits.contig[i])].c_str(),
                static_cast<long long>(hits.start[i]), static_cast<long long>(hits.end[i]),
                scanner.patterns()[hits.pattern[i]].name.c_str(), hits.reverse[i] ? '-' : '+', hits.distance[i],
                hits.cigar_of(i).c_str(), std::string(hits.sequence[i]).c_str());
  }
}

void scan(const std::string& how, const Arguments& given) {
  const trawl::Scanner scanner = trawl::Scanner::from_file(given.files.at(1), given.options);
  const auto take = [&](const trawl::Hits& hits) {
    print(hits, scanner);
    return true;
  };
  if (how == "scan_file") {
    scanner.scan_file(given.files.at(0), take);
    return;
  }
  const trawl::Reference reference(given.files.at(0));
  if (how == "scan") {
    print(scanner.scan(reference), scanner);
  } else if (how == "scan_text") {
    for (std::size_t c = 0; c < reference.contigs().size(); ++c) {
      const trawl::Contig& contig = reference.contigs()[c];
      print(scanner.scan(reference.letters(c, 0, contig.length)), scanner, &contig.name);
    }
  } else {
    std::size_t contig = 0;
    std::int64_t at = 0;
    scanner.scan_stream(
        [&](trawl::Chunk& chunk) {
          constexpr std::int64_t kPiece = 997;
          if (contig == reference.contigs().size()) {
            return false;
          }
          const trawl::Contig& now = reference.contigs()[contig];
          const std::int64_t end = std::min(now.length, at + kPiece);
          chunk = {now.name, reference.letters(contig, at, end)};
          at = end;
          if (at == now.length) {
            ++contig;
            at = 0;
          }
          return true;
        },
        take);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "map" || what == "memory") {
      map(parse(argc, argv), what == "memory");
    } else {
      scan(what, parse(argc, argv));
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "api_columns: %s\n", error.what());
    return 1;
  }
}
