#include "guides/guide_lines.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/append_number.hpp"
#include "io/format/table_cell.hpp"
#include "scan/report/aligned_site.hpp"
#include "scan/report/guide_scores.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::guides {

namespace {

std::size_t longest_run(std::string_view bases) {
  std::size_t longest = 0, run = 0;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    run = i > 0 && bases[i] == bases[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

GuideLines::GuideLines(const sequence::Reference& reference, const words::GuideSiteFinder& guides,
                       const words::SiteWords& words, const LineRule& rule)
    : reference_(reference), guides_(guides), words_(words), rule_(rule) {
  if (rule.seed_length == 0) {
    return;
  }
  seeds_.resize(std::size_t{1} << (2 * rule.seed_length));
  tbb::parallel_for(std::size_t{0}, words.size(), [&](std::size_t i) {
    std::atomic_ref(seeds_[seed_of(words.words()[i])]).fetch_add(words.sites()[i], std::memory_order_relaxed);
  });
  // Sites whose other bases are ambiguous are not among the words.
  const words::GuideSiteFinder sites(reference, words.rule());
  sites.for_each_ambiguous(words.rule().length, [this](const words::GuideSite& site) {
    if (seed_of(words::GuideWord::of(site.ambiguous, site.ambiguous, 0)) == 0) {
      ++seeds_[seed_of(site.word)];
    }
  });
}

// The bases nearest the PAM.
std::uint64_t GuideLines::seed_of(std::uint64_t word) const {
  const unsigned first = words_.rule().is_last() ? words_.rule().length - rule_.seed_length : 0;
  const std::uint64_t mask = sequence::low_ones(rule_.seed_length);
  return (words::GuideWord::high(word) >> first & mask) << rule_.seed_length |
         (words::GuideWord::low(word) >> first & mask);
}

std::string GuideLines::header() const {
  if (rule_.is_bed) {
    return "";
  }
  std::string header;
  const auto column = [&](std::string_view name) {
    header.append(header.empty() ? 0 : 1, rule_.separator).append(name);
  };
  for (const char* name : {"contig", "start", "end", "strand", "sequence", "pam", "cut", "gc", "longest_run", "tttt"}) {
    column(name);
  }
  for (std::uint32_t m = 0; m <= words_.rule().max_mismatches; ++m) {
    column("mismatches_" + std::to_string(m));
  }
  if (words_.rule().has_scores()) {
    for (const char* name : {"cfd_specificity", "mit_specificity", "without_score"}) {
      column(name);
    }
  }
  if (rule_.seed_length > 0) {
    column("seed_sites");
  }
  if (rule_.genes) {
    column("gene");
    column("feature");
  }
  return header + '\n';
}

// All of this comes from memory, so it is fetched before it is needed.
std::vector<GuideLines::SumsOfGuide> GuideLines::find(std::span<const words::GuideSite> guides,
                                                      std::span<const words::SiteSums> sums) const {
  constexpr std::size_t kAhead = 16;
  std::vector<SumsOfGuide> found;
  for (std::size_t i = 0; i < guides.size(); ++i) {
    words_.prefetch(guides[std::min(i + 2 * kAhead, guides.size() - 1)].word);
    words_.prefetch_words(guides[std::min(i + kAhead, guides.size() - 1)].word);
    const words::SiteWords::SameBases same = words_.find(guides[i].word);
    std::size_t number = same.first;
    double target = 0;
    for (std::size_t n = same.first; n < same.last; ++n) {
      const unsigned pam = words_.words()[n] & words::GuideWord::kPam;
      number = pam == (guides[i].word & words::GuideWord::kPam) ? n : number;
      target = std::max(target, words_.rule().has_scores() ? scan::cfd_of_pam(pam) : 0);
    }
    found.push_back({&sums[words_.place(number)], target});
    __builtin_prefetch(found.back().sums);
  }
  return found;
}

GuideLines::GuideCounts GuideLines::append(const GuideStarts& starts, std::span<const words::SiteSums> sums,
                                           std::string& text) const {
  const words::SiteRule& rule = words_.rule();
  const sequence::Contig& contig = reference_.contigs()[reference_.contig_at(starts.begin)];
  std::vector<words::GuideSite> sites;
  for_each_guide(guides_, starts, [&](const words::GuideSite& site) { sites.push_back(site); });
  const std::vector<SumsOfGuide> found = find(sites, sums);
  GuideCounts counts;
  io::Annotation::Finding place;
  std::string letters(rule.length + rule.pam_size(), ' '), room;
  Guide guide;
  guide.contig = rule_.is_bed ? io::plain_name(contig.name, room) : io::cell_text(contig.name, rule_.separator, room);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const words::GuideSite& site = sites[i];
    guide.sums = found[i].sums;
    guide.cfd = scan::specificity(guide.sums->scores.cfd, found[i].target, 100);
    guide.mit = scan::specificity(guide.sums->scores.mit, 100, 1);
    ++counts.guides;
    counts.unique += guide.sums->sites[0] == 1 ? 1 : 0;
    if ((rule_.only_unique && guide.sums->sites[0] > 1) || guide.cfd < rule_.min_specificity) {
      continue;
    }
    ++counts.written;
    sequence::copy_letters(reference_.searched(), site.start, letters.size(), letters.data());
    if (site.reverse) {
      std::ranges::reverse(letters);
      std::ranges::transform(letters, letters.begin(), sequence::complement_base);
    }
    guide.start = site.start - contig.offset;
    guide.reverse = site.reverse;
    guide.bases = std::string_view(letters).substr(rule.is_last() ? 0 : rule.pam_size(), rule.length);
    guide.pam = std::string_view(letters).substr(rule.is_last() ? rule.length : 0, rule.pam_size());
    guide.seed_sites = rule_.seed_length > 0 ? seeds_[seed_of(site.word)] : 0;
    if (rule_.is_bed) {
      put_bed(guide, text);
    } else {
      if (rule_.genes) {
        rule_.genes->find(contig.name, guide.start, guide.start + letters.size(), place);
      }
      put_table(guide, place, text);
    }
  }
  return counts;
}

// As AlignedSite::cut.
void GuideLines::put_cut(const Guide& guide, std::string& text) const {
  const words::SiteRule& rule = words_.rule();
  const std::uint64_t all = rule.length + rule.pam_size();
  const std::uint64_t from = rule.is_last() ? rule.length - scan::kCutBeforePam : rule.pam_size() + scan::kCutAfterPam;
  if (from > all) {
    text += '.';
  } else {
    append_number(text, guide.start + (guide.reverse ? all - from : from));
  }
}

void GuideLines::put_table(const Guide& guide, io::Annotation::Finding& place, std::string& text) const {
  const words::SiteRule& rule = words_.rule();
  const auto cell = [&](std::string_view value) { (text += rule_.separator) += value; };
  const auto number = [&](std::uint64_t value) { append_number(text += rule_.separator, value); };
  text += guide.contig;
  number(guide.start);
  number(guide.start + rule.length + rule.pam_size());
  cell(guide.reverse ? "-" : "+");
  cell(guide.bases);
  cell(guide.pam);
  put_cut(guide, text += rule_.separator);
  const auto gc = std::ranges::count_if(guide.bases, [](char base) { return base == 'G' || base == 'C'; });
  append_fixed(text += rule_.separator, 100.0 * static_cast<double>(gc) / rule.length, 1);
  number(longest_run(guide.bases));
  cell(guide.bases.find("TTTT") != guide.bases.npos ? "yes" : "no");
  for (std::uint32_t m = 0; m <= rule.max_mismatches; ++m) {
    number(guide.sums->sites[m]);
  }
  if (rule.has_scores()) {
    append_fixed(text += rule_.separator, guide.cfd, 4);
    append_fixed(text += rule_.separator, guide.mit, 4);
    number(guide.sums->without_score);
  }
  if (rule_.seed_length > 0) {
    number(guide.seed_sites);
  }
  if (rule_.genes) {
    std::string room;
    cell(io::cell_text(place.genes, rule_.separator, room));
    cell(place.feature);
  }
  text += '\n';
}

// The score is ten times the specificity. 11 columns: 12 would be blocks of BED12.
void GuideLines::put_bed(const Guide& guide, std::string& text) const {
  const words::SiteRule& rule = words_.rule();
  const auto cell = [&](std::string_view value) { (text += '\t') += value; };
  text += guide.contig;
  append_number(text += '\t', guide.start);
  append_number(text += '\t', guide.start + rule.length + rule.pam_size());
  cell(guide.bases);
  append_number(text += '\t', rule.has_scores() ? static_cast<std::uint64_t>(std::llround(10 * guide.cfd)) : 0);
  cell(guide.reverse ? "-" : "+");
  cell(guide.pam);
  put_cut(guide, text += '\t');
  text += '\t';
  for (std::uint32_t m = 0; m <= rule.max_mismatches; ++m) {
    text.append(m == 0 ? 0 : 1, ',');
    append_number(text, guide.sums->sites[m]);
  }
  for (const double score : {guide.cfd, guide.mit}) {
    text += '\t';
    if (rule.has_scores()) {
      append_fixed(text, score, 4);
    } else {
      text += '.';
    }
  }
  text += '\n';
}

}  // namespace trawl::guides
