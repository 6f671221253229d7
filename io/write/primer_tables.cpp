#include "io/write/primer_tables.hpp"

#include <string_view>

#include "io/write/scan_lines.hpp"
#include "io/write/table_file.hpp"

namespace trawl::io {
namespace {

TableFile open_table(const std::string& path, int compression_level) {
  const ScanFormat format = scan_format(path);
  return {path, level_of(format, compression_level), separator(format)};
}

}  // namespace

std::string primer_name(const scan::PrimerPool& pool, std::uint32_t primer) {
  std::string name(pool.patterns()[primer].name);
  if (pool.is_table_of_pairs) {
    name += pool[primer].side == scan::PrimerSide::right ? "_reverse" : "_forward";
  }
  return name;
}

void write_primer_table(const PrimerTable& table, const std::string& path, int compression_level) {
  TableFile text = open_table(path, compression_level);
  for (const char* column : {"primer", "amplicon", "side", "pool", "sequence", "length", "gc", "tm", "places",
                             "own_places", "products", "expected_products", "dimers", "dimer_energy", "dimer_with"}) {
    text.cell(column);
  }
  text.end_line();
  const scan::PrimerPool& pool = table.pool;
  // Of each primer as the one that is extended or the other one: how many dimers, and the firmest, which comes first.
  std::vector<std::uint64_t> dimers(pool.size(), 0);
  std::vector<const scan::PrimerDimer*> firmest(pool.size(), nullptr);
  for (const scan::PrimerDimer& dimer : table.dimers) {
    const auto take = [&](std::uint32_t primer) {
      ++dimers[primer];
      firmest[primer] = firmest[primer] == nullptr ? &dimer : firmest[primer];
    };
    take(dimer.primer);
    if (dimer.copied_from != dimer.primer) {
      take(dimer.copied_from);
    }
  }
  for (std::uint32_t p = 0; p < pool.size(); ++p) {
    const auto [name, bases] = pool.patterns()[p];
    const scan::Primer& primer = pool[p];
    const PrimerCounts& counts = table.counts[p];
    text.cell(primer_name(pool, p));
    text.cell(primer.amplicon ? std::string_view(pool.amplicons()[*primer.amplicon]) : ".");
    text.cell(primer.side == scan::PrimerSide::left ? "left" : primer.side == scan::PrimerSide::right ? "right" : ".");
    text.cell(primer.pool ? std::string_view(pool.pools()[*primer.pool]) : ".");
    text.cell(bases).number(bases.size()).fixed(100 * scan::gc_share(bases), 1);
    text.fixed(scan::melting_temperature(bases, table.conditions), 1).number(counts.places);
    if (primer.place) {
      text.number(counts.own_places);
    } else {
      text.cell(".");
    }
    text.number(counts.products).number(counts.expected).number(dimers[p]);
    if (const scan::PrimerDimer* dimer = firmest[p]; dimer != nullptr) {
      text.fixed(dimer->energy, 2).cell(primer_name(pool, dimer->primer == p ? dimer->copied_from : dimer->primer));
    } else {
      text.cell(".").cell(".");
    }
    text.end_line();
  }
  text.close();
}

void write_dimer_table(const PrimerTable& table, const std::string& path, int compression_level) {
  TableFile text = open_table(path, compression_level);
  for (const char* column : {"primer", "copied_from", "pool", "energy", "bases", "end", "extension"}) {
    text.cell(column);
  }
  text.end_line();
  const scan::PrimerPool& pool = table.pool;
  for (const scan::PrimerDimer& dimer : table.dimers) {
    const std::string_view bases = pool.patterns()[dimer.primer].bases;
    const scan::Primer& primer = pool[dimer.primer];
    text.cell(primer_name(pool, dimer.primer)).cell(primer_name(pool, dimer.copied_from));
    text.cell(primer.pool && primer.pool == pool[dimer.copied_from].pool ? std::string_view(pool.pools()[*primer.pool])
                                                                         : ".");
    text.fixed(dimer.energy, 2).number(dimer.bases).cell(bases.substr(bases.size() - dimer.bases));
    text.number(dimer.extension);
    text.end_line();
  }
  text.close();
}

}  // namespace trawl::io
