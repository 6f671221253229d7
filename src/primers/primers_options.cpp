#include "primers/primers_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace trawl::primers {

namespace {

// Numbers from 0 to 10,000 with this letter between them, with or without a fraction; nothing if the text has others.
std::optional<std::vector<double>> numbers_of(std::string_view text, char separator) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    double& number = numbers.emplace_back();
    const char* const last = text.data() + end;
    const auto read = std::from_chars(text.data() + begin, last, number);
    if (read.ec != std::errc() || read.ptr != last || !(number >= 0 && number <= 10'000)) {
      return std::nullopt;
    }
    begin = end + 1;
  }
  return numbers;
}

// The value of --salt.
scan::MeltingConditions salt_of(const std::string& text) {
  const auto salt = numbers_of(text, ',');
  if (!salt || salt->size() > 4) {
    throw UsageError("--salt " + text +
                     ": give mM of monovalent ions, magnesium and dNTPs, as 50,1.5,0.6, or of monovalent ions only; nM "
                     "of DNA may follow");
  }
  scan::MeltingConditions conditions;
  conditions.monovalent = (*salt)[0];
  conditions.divalent = salt->size() > 1 ? (*salt)[1] : 0;
  conditions.dntp = salt->size() > 2 ? (*salt)[2] : 0;
  conditions.strands = salt->size() > 3 ? (*salt)[3] : conditions.strands;
  if (conditions.strands <= 0) {
    throw UsageError("--salt " + text + ": without DNA nothing binds; give nM of it, as 50,1.5,0.6,50");
  }
  if (conditions.sodium() <= 0) {
    throw UsageError("--salt " + text + ": without any salt primers do not bind; give mM of monovalent ions");
  }
  return conditions;
}

// The value of --tm.
std::pair<double, double> melting_of(const std::string& text) {
  const auto range = numbers_of(text, '-');
  if (!range || range->size() != 2 || (*range)[0] > (*range)[1]) {
    throw UsageError("--tm " + text + ": give the lowest and the highest temperature, as 55-65");
  }
  return {(*range)[0], (*range)[1]};
}

std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string salt_text(const scan::MeltingConditions& c) {
  return number_text(c.monovalent) + ',' + number_text(c.divalent) + ',' + number_text(c.dntp) + ',' +
         number_text(c.strands);
}

constexpr const char* kPrimersGroup = "Primers";
constexpr const char* kMeltingGroup = "Melting temperature";

}  // namespace

std::string melting_text(const std::optional<std::pair<double, double>>& range) {
  return range ? number_text(range->first) + '-' + number_text(range->second) : "";
}

std::vector<cli::Option> primers_table(PrimersArguments& a) {
  std::vector<cli::Option> table = {
      cli::reference_argument(a.reference),
      {.names = "PRIMERS",
       .to = &a.primer_file,
       .help = "Primers: a table of pairs (name, forward and reverse primer), a BED of a scheme, names and sequences, "
               "FASTA, or primer3's output; IUPAC codes match what they stand for; - is stdin",
       .required = true,
       .is_path = true},
      {.names = "--size",
       .value = "MIN-MAX",
       .to = cli::sizes_target("--size", a.sizes, "a product"),
       .help = "Smallest and largest product, with its primers",
       .group = kPrimersGroup},
      {.names = "--three-prime",
       .to = &a.three_prime,
       .help = "The last N bases of each primer, at its 3' end, must match exactly",
       .group = kPrimersGroup,
       .most = scan::kMaxPatternLength},
      {.names = "--combine",
       .to = cli::choice(&a.combine,
                         {{"pair", scan::Combine::pair}, {"pool", scan::Combine::pool}, {"all", scan::Combine::all}}),
       .help = "Which primers are combined: those of one pair (or amplicon), of one pool, or all",
       .group = kPrimersGroup,
       .default_text = "pair for a table of pairs and for primer3, else pool"},
      {.names = "--summary",
       .value = "FILE",
       .to = &a.summary,
       .help = "Also writes a line for each primer: Tm, GC, its places, products and dimers (.tsv .csv)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--mispriming",
       .value = "FILE",
       .to = &a.mispriming,
       .help = "Also writes where primers bind besides the place that a BED gives them, as trawl scan does (.tsv .csv "
               ".bed)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--dimers",
       .value = "FILE",
       .to = &a.dimers,
       .help = "Also writes the primers whose 3' end binds another one, which is then copied (.tsv .csv)",
       .group = kPrimersGroup,
       .is_path = true},
      {.names = "--dimer-energy",
       .to = &a.dimer_energy,
       .help = "A dimer has at least N kcal/mol of binding energy at 37 degrees",
       .group = kPrimersGroup,
       .most = 1000},
      {.names = "--tm",
       .value = "MIN-MAX",
       .to = cli::typed(&a.melting, melting_of, melting_text),
       .help = "Search only primers with a melting temperature from MIN to MAX degrees Celsius",
       .group = kMeltingGroup},
      {.names = "--salt",
       .value = "NA,MG,DNTP[,DNA]",
       .to = cli::typed(&a.conditions, salt_of, salt_text),
       .help = "Monovalent ions, magnesium and dNTPs, in mM; strands of primer and target together, in nM",
       .group = kMeltingGroup}};
  cli::append(table, cli::matching_table(a));
  table.push_back(cli::output_option(a, ".bed .tsv, these with .gz; - is BED on stdout"));
  cli::append(table, cli::work_options_table(a));
  table.push_back(cli::tune_option(a));
  return table;
}

scan::ScanOptions primers_options(const PrimersArguments& a) {
  scan::ScanOptions options = cli::search_options(a);
  options.pam.three_prime = a.three_prime;
  if (a.three_prime > 0) {
    options.max_mismatches = options.max_edits;
    options.max_bulges = options.metric == scan::Metric::hamming ? 0 : options.max_edits;
  }
  return options;
}

}  // namespace trawl::primers
