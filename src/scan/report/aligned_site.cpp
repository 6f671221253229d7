#include "scan/report/aligned_site.hpp"

#include <algorithm>
#include <charconv>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

char lower(char letter) { return static_cast<char>(letter | 0x20); }

// Whether a letter of the text matches one of a pattern.
bool matches(char pattern, char text, bool ambiguous_matches) {
  return (ambiguous_matches || sequence::base_code(text) != sequence::kAmbiguous) &&
         (sequence::iupac_set(pattern) & sequence::iupac_set(text)) != 0;
}

}  // namespace

std::string reversed_cigar(std::string_view cigar) {
  std::string reversed;
  for (std::size_t end = cigar.size(); end > 0;) {
    std::size_t begin = end - 1;  // of the letter, then of its number
    while (begin > 0 && cigar[begin - 1] >= '0' && cigar[begin - 1] <= '9') {
      --begin;
    }
    reversed.append(cigar, begin, end - begin);
    end = begin;
  }
  return reversed;
}

AlignedSite::AlignedSite(const GuideRules& rules) : rules_(rules) {}

std::string_view AlignedSite::pam_of(std::string_view letters) const {
  const std::size_t length = rules_.pam.bases.size();
  return letters.substr(rules_.pam.is_last ? letters.size() - length : 0, length);
}

// Appends the PAM to both sides, and returns its mismatches.
std::uint32_t AlignedSite::put_pam(std::string_view letters, std::string& to_pattern, std::string& to_text) const {
  const auto mismatches = [&](std::string_view motif) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < motif.size(); ++i) {
      count += matches(motif[i], letters[i], rules_.ambiguous_matches) ? 0 : 1;
    }
    return count;
  };
  std::string_view motif = rules_.pam.motifs.empty() ? rules_.pam.bases : rules_.pam.motifs.front();
  std::uint32_t fewest = mismatches(motif);
  for (const std::string& other : rules_.pam.motifs) {
    if (const std::uint32_t count = mismatches(other); count < fewest) {
      fewest = count;
      motif = other;
    }
  }
  for (std::size_t i = 0; i < motif.size(); ++i) {
    const bool same = matches(motif[i], letters[i], rules_.ambiguous_matches);
    to_pattern += same ? motif[i] : lower(motif[i]);
    to_text += same ? letters[i] : lower(letters[i]);
  }
  return fewest;
}

void AlignedSite::put_ungapped(const SiteRecord& record, std::string_view guide) {
  ungapped.clear();
  if (!record.has_bulges()) {
    ungapped = text;
    return;
  }
  const SiteRecord* const other = record.ungapped();
  if (other == nullptr) {
    return;
  }
  const std::string_view letters = other->texts_or({}, ungapped_room_, false).text;
  room_.clear();
  if (!rules_.pam.is_last) {
    put_pam(pam_of(letters), room_, ungapped);
  }
  const std::size_t first = ungapped.size();
  for (std::size_t i = 0; i < guide.size(); ++i) {
    const char letter = letters[first + i];
    ungapped += matches(guide[i], letter, rules_.ambiguous_matches) ? letter : lower(letter);
  }
  if (rules_.pam.is_last) {
    put_pam(pam_of(letters), room_, ungapped);
  }
}

void AlignedSite::score(std::string_view guide) {
  scores.reset();
  if (!has_scores(guide, rules_.pam)) {
    return;
  }
  const auto scores_of = [&](std::string_view aligned, std::string_view beside) {
    const std::size_t length = beside.size() - rules_.pam.bases.size();
    return guide_scores(aligned.substr(0, length), beside.substr(0, length), pam_of(beside));
  };
  if (!ungapped.empty()) {
    scores = scores_of(guide, ungapped);
  }
  if (ungapped == text) {
    return;
  }
  const auto other = scores_of(pattern, text);
  if (!scores) {
    scores = other;
  } else if (other) {
    scores->cfd = std::max(scores->cfd, other->cfd);
  }
}

void AlignedSite::align(const SiteRecord& record, const RecordTexts& texts, std::string_view guide) {
  pattern.clear();
  text.clear();
  seed_mismatches = seed_bulges = 0;
  cigar = record.reverse ? reversed_cigar(texts.cigar) : texts.cigar;
  const std::size_t pam_length = rules_.pam.bases.size();
  const bool is_last = rules_.pam.is_last;
  const std::size_t of_guide = texts.text.size() - pam_length;  // letters of the text beside the guide
  pam = pam_of(texts.text);
  if (!is_last) {
    pam_mismatches = put_pam(pam, pattern, text);
  }
  std::size_t in_guide = 0, in_text = is_last ? 0 : pam_length;
  std::size_t left_of_pam = is_last ? 0 : pam_length;  // columns of a PAM that comes first
  const auto is_seed = [&](std::size_t letter) {
    return (is_last ? guide.size() - 1 - letter : letter) < rules_.seed_length;
  };
  for (const char *at = cigar.data(), *end = at + cigar.size(); at < end;) {
    std::size_t length = 0;
    at = std::from_chars(at, end, length).ptr;
    const char op = *at++;
    const std::size_t of_pam = std::min(length, left_of_pam);
    length -= of_pam;
    left_of_pam -= of_pam;
    for (; length > 0; --length) {
      if (op == 'D') {
        // Between the letters in_guide - 1 and in_guide.
        pattern += '-';
        text += texts.text[in_text++];
        const bool in_seed =
            is_last ? in_guide > 0 && is_seed(in_guide - 1) : in_guide < guide.size() && is_seed(in_guide);
        seed_bulges += in_seed ? 1 : 0;
      } else if (in_guide == guide.size()) {
        break;  // the PAM
      } else if (op == 'I') {
        seed_bulges += is_seed(in_guide) ? 1 : 0;
        pattern += guide[in_guide++];
        text += '-';
      } else {
        const bool same = matches(guide[in_guide], texts.text[in_text], rules_.ambiguous_matches);
        seed_mismatches += !same && is_seed(in_guide) ? 1 : 0;
        pattern += same ? guide[in_guide] : lower(guide[in_guide]);
        text += same ? texts.text[in_text] : lower(texts.text[in_text]);
        ++in_guide;
        ++in_text;
      }
    }
  }
  if (is_last) {
    pam_mismatches = put_pam(pam, pattern, text);
  }
  put_ungapped(record, guide);
  score(guide);
  cut.reset();
  const std::uint64_t beside = is_last ? kCutBeforePam : kCutAfterPam;
  // In a haplotype with insertions or deletions, letters are not positions.
  if (of_guide >= beside && texts.text.size() == record.end - record.start) {
    const std::uint64_t from_outside = pam_length + beside;  // of the PAM
    cut = is_last != record.reverse ? record.end - from_outside : record.start + from_outside;
  }
}

}  // namespace trawl::scan
