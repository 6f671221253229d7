// Options of how much of a read may differ or be left out: -e, --damage, --clip and what belongs to it.
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/shared_options.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kClipGroup = "Clipped ends";
constexpr const char* kNeedsClip = " needs --clip, which says how much of a read may be left out: --clip 30%";
// The time for a clipped read grows with it.
constexpr std::uint32_t kLargestJoin = 1000;

bool is_on(const map::NumberOrShare& most) { return map::ClipOptions{.most = most}.on(); }

// The value of --clip; nothing for auto.
std::optional<map::NumberOrShare> parse_clip(const std::string& text) {
  constexpr const char* kAdvice =
      "give a number of bases, for example 40, or a share of the read's length below 50%, for example 30%";
  if (text == "auto") {
    return std::nullopt;
  }
  const auto most = parse_number_or_share("--clip", text, kAdvice);
  if (most.percent >= 50) {
    throw UsageError("--clip " + text + ": " + kAdvice);
  }
  if (most.number > align::kMostClipped) {
    throw UsageError("--clip " + text + ": at most " + std::to_string(align::kMostClipped) + " bases can be left out");
  }
  return most;
}

// With --clip auto: for real reads, whose ends may be adapters, and which may reach over insertions and deletions.
map::ClipOptions auto_clip_options(const MapArguments& a) {
  map::ClipOptions clip;
  if (a.end_to_end || a.rules.report != map::Report::best || !a.rules.gaps()) {
    return clip;
  }
  clip.most = {true, 49, 0};
  clip.when = align::ClipWhen::poor;
  clip.least_score = 30;
  clip.split = true;
  clip.join = 120;
  return clip;
}

bool clips(const MapArguments& a) { return clip_options(a).on(); }

constexpr std::string_view kAsBwa = "bwa:";

map::NumberOrShare parse_max_edits(const std::string& text) {
  if (text.starts_with(kAsBwa)) {
    map::NumberOrShare as_bwa{.is_share = false};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + kAsBwa.size(), end, as_bwa.missed);
    if (read.ec != std::errc() || read.ptr != end || !(as_bwa.missed > 0 && as_bwa.missed < 1)) {
      throw UsageError("-e " + text + ": give a share of reads between 0 and 1, as in bwa aln -n: -e bwa:0.01");
    }
    return as_bwa;
  }
  const auto edits = parse_number_or_share(
      "-e", text,
      "give a number of edits, for example 5, a share of the read's length up to 50%, for example 5%, or what you give "
      "to bwa aln -n, for example bwa:0.01");
  if (edits.number > map::kMaxEdits) {
    throw UsageError("-e " + text + ": at most " + std::to_string(map::kMaxEdits) + " edits are possible");
  }
  return edits;
}

// FIRST,DECAY,INTERIOR or auto, after ss: for a library of single strands; or off.
align::DamageRates parse_damage(const std::string& text) {
  align::DamageRates damage;
  damage.single_stranded = text.starts_with("ss:");
  const std::string given = text.substr(damage.single_stranded ? 3 : 0);
  if (text == "off") {
    return damage;
  }
  if (given == "auto") {
    align::DamageRates usual = align::kUsualDamage;
    usual.single_stranded = damage.single_stranded;
    usual.estimated = true;
    return usual;
  }
  const std::vector<std::string> parts = split(given, ',');
  double* const rates[] = {&damage.first, &damage.decay, &damage.interior};
  bool is_right = parts.size() == std::size(rates);
  for (std::size_t r = 0; is_right && r < std::size(rates); ++r) {
    const char* const end = parts[r].data() + parts[r].size();
    const auto read = std::from_chars(parts[r].data(), end, *rates[r]);
    is_right = read.ec == std::errc() && read.ptr == end && *rates[r] >= 0 && *rates[r] <= 1;
  }
  if (!is_right || !damage.on() || damage.first < damage.interior) {
    throw UsageError("--damage " + text +
                     ": give off, auto, or how often C is read as T at the first base, by what share that falls from "
                     "base to base, and how often inside, for example 0.3,0.3,0.01; ss: before it for a library of "
                     "single strands");
  }
  return damage;
}

}  // namespace

Option max_edits_option(map::NumberOrShare& max_edits) {
  return {
      .names = "-e,--max-edits",
      .value = "N|N%|bwa:P",
      .to = typed(&max_edits, parse_max_edits, [](const map::NumberOrShare& e) { return text_of(e); }),
      .help =
          "Largest edit distance: a number (5); a share of the read length, rounded down (4%); or, as bwa aln -n P, "
          "so many that a share P of reads with 2% differences has more (bwa:0.01)",
      .group = kMatchingGroup,
      .in_header = InHeader::always,
      .may_be_empty = true};
}

Option damage_option(MapArguments& a) {
  return {.names = "--damage",
          .value = "off|[ss:]auto|[ss:]F,D,I",
          .to = typed(&a.rules.damage, parse_damage, damage_text),
          .help =
              "Ancient DNA: C read as T near 5' ends and G read as A near 3' ends (ss: C as T at both, for libraries "
              "of single strands) count less against a place. F: how often at the first base; D: by what share that "
              "falls from base to base; I: how often inside (0.3,0.3,0.01); auto: as in the first 20,000 reads",
          .conflicts = {{[&a](auto&) { return clips(a); },
                         ": whole reads only, since it lies at their ends; add "
                         "--end-to-end"},
                        {[&a](auto&) { return a.has_mates(); },
                         " is for single reads; merge the mates of short fragments first, for example with fastp "
                         "--merge"},
                        {[&a](auto&) { return a.rules.damage.estimated && !a.server.empty(); },
                         " auto reads ahead, which --server does not do; give rates, for example 0.3,0.3,0.01"}},
          .in_header = InHeader::if_changed};
}

map::ClipOptions clip_options(const MapArguments& a) {
  map::ClipOptions clip = a.clip ? map::ClipOptions{.most = *a.clip} : auto_clip_options(a);
  clip.when = a.clip_when.value_or(clip.when);
  clip.split |= a.split;
  clip.join = a.join > 0 ? a.join : clip.join;
  clip.hard = a.records.hard_clips;
  return clip;
}

std::vector<Option> clip_table(MapArguments& a) {
  const std::vector<Conflict> needs_clip = {{[&a](auto&) { return !clips(a); }, kNeedsClip}};
  std::vector<Option> table = {
      {.names = "--end-to-end",
       .to = &a.end_to_end,
       .help = "No base of a read is left out; this is what --report strata and all do without --clip",
       .conflicts = {{[&a](auto&) { return a.clip && is_on(*a.clip); },
                      ": the whole read must fit, but --clip leaves bases out; give one of them"}},
       .in_header = InHeader::if_changed},
      {.names = "--clip",
       .value = "auto|N|N%",
       .to = typed(&a.clip, parse_clip, clip_text),
       .help = "Most bases of a read that may be left out, at both ends together: a number (40), or a share of the "
               "read length, rounded down (30%); always less than half of the read. auto: with --report best, wherever "
               "that makes the penalty smaller, and with --split and --join 120; otherwise none",
       .conflicts = {{[&a](auto&) { return clips(a) && !a.rules.gaps(); },
                      " needs alignments with gaps; leave --clip or --metric hamming out"}},
       .in_header = InHeader::if_changed,
       .may_be_empty = true},
      {.names = "--clip-when",
       .to = choice(
           &a.clip_when,
           {{"auto", std::nullopt}, {"unmapped", align::ClipWhen::unmapped}, {"always", align::ClipWhen::always}}),
       .help = "Which reads are searched for a clipped place: those that fit nowhere as a whole, or all; auto: with "
               "--clip auto reads are placed by their words, otherwise as unmapped",
       .conflicts = {{[&a](auto&) { return a.clip_when == align::ClipWhen::always && !clips(a); }, kNeedsClip}},
       .in_header = InHeader::if_changed},
      {.names = "--split",
       .to = &a.split,
       .help = "Also map clipped ends of 30 bases and more; those that fit are supplementary records, with tag SA",
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed},
      {.names = "--join",
       .to = &a.join,
       .help = "Join a clipped end of a primary record to its piece by one long gap: a deletion or insertion of up to "
               "N bases, at most 1000, if at least 16 bases fit after it; 0: no",
       .most = kLargestJoin,
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed},
      {.names = "--hard-clip",
       .to = &a.records.hard_clips,
       .help =
           "H instead of S in secondary and supplementary records; supplementary records have only the bases that fit",
       .conflicts = needs_clip,
       .in_header = InHeader::if_changed}};
  return in_group(kClipGroup, std::move(table));
}

map::NumberOrShare parse_number_or_share(const std::string& option, const std::string& text, const char* advice,
                                         double most_percent) {
  map::NumberOrShare value{};
  value.is_share = !text.empty() && text.back() == '%';
  const char* const end = text.data() + text.size() - (value.is_share ? 1 : 0);
  const auto read = value.is_share ? std::from_chars(text.data(), end, value.percent)
                                   : std::from_chars(text.data(), end, value.number);
  if (read.ec != std::errc() || read.ptr != end || !(value.percent >= 0 && value.percent <= most_percent)) {
    throw UsageError(option + ' ' + text + ": " + advice);
  }
  return value;
}

std::string text_of(const map::NumberOrShare& value) {
  if (value.missed > 0) {
    return std::string(kAsBwa) + text_of(value.missed);
  }
  return value.is_share ? text_of(value.percent) + '%' : std::to_string(value.number);
}

std::string text_of(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string damage_text(const align::DamageRates& damage) {
  if (!damage.on()) {
    return "off";
  }
  return (damage.single_stranded ? "ss:" : "") +
         (damage.estimated ? "auto"
                           : text_of(damage.first) + ',' + text_of(damage.decay) + ',' + text_of(damage.interior));
}

}  // namespace trawl::cli
