#include "io/read/variant_reader.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/gzip/input_file.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {

namespace {

// Whether REF of a record is what the reference has. For an IUPAC code, VCF has N or one of the code's bases.
bool is_same(std::string_view reference, std::string_view of_vcf) {
  return std::equal(reference.begin(), reference.end(), of_vcf.begin(), of_vcf.end(), [](char letter, char given) {
    return sequence::is_part_of(given, letter) || (given == 'N' && sequence::base_code(letter) == sequence::kAmbiguous);
  });
}

constexpr std::string_view kVariantLetters = "ACGTNacgtn";
constexpr int kUndeclared = BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF;  // htslib has declared it itself

// Trimmed alleles may begin later than the positions of their records.
void sort_by_place(scan::AlleleList& list) {
  std::vector<std::uint32_t> order(list.alleles.size()), place(list.alleles.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(list.alleles[a].begin, list.alleles[a].end) <
           std::pair(list.alleles[b].begin, list.alleles[b].end);
  });
  std::vector<scan::Allele> sorted;
  for (std::uint32_t n = 0; n < order.size(); ++n) {
    sorted.push_back(std::move(list.alleles[order[n]]));
    place[order[n]] = n;
  }
  list.alleles = std::move(sorted);
  for (auto& haplotype : list.haplotypes) {
    for (auto& choice : haplotype) {
      for (std::uint32_t* const allele : {&choice.first, &choice.second}) {
        *allele = *allele != scan::AlleleList::kReference ? place[*allele] : *allele;
      }
    }
  }
}

}  // namespace

VariantReader::VariantReader(const std::string& path) : path_(display_name(path)) {
  { const InputFile check(path); }  // its messages are clearer
  hts_set_log_level(HTS_LOG_OFF);   // it would write a line for each odd record
  file_.reset(hts_open(path.c_str(), "r"));
  if (file_ == nullptr || hts_get_format(file_.get())->category != variant_data) {
    throw InputError(path_, 0, "is not VCF or BCF");
  }
  header_.reset(bcf_hdr_read(file_.get()));
  if (header_ == nullptr) {
    throw InputError(path_, 0, "the header of the VCF cannot be read");
  }
  for (int s = 0; s < bcf_hdr_nsamples(header_.get()); ++s) {
    const std::string& name = samples_.emplace_back(header_->samples[s]);
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; })) {
      throw InputError(path_, 0, "the name of sample " + std::to_string(s + 1) + " has a control character");
    }
  }
  record_.reset(bcf_init());
  has_record_ = read();
}

std::string VariantReader::place() const {
  return std::string(bcf_seqname_safe(header_.get(), record_.get())) + ":" + std::to_string(record_->pos + 1);
}

void VariantReader::fail(const std::string& what) const { throw InputError(path_, 0, place() + ": " + what); }

void VariantReader::leave_out(const std::string& where, const std::string& what) {
  if (counts_.odd++ == 0) {
    counts_.first_odd = where + ": " + what;
  }
}

bool VariantReader::read() {
  for (;;) {
    const int status = bcf_read(file_.get(), header_.get(), record_.get());
    if (status == -1) {
      return false;
    }
    if (counts_.undeclared.empty() && (record_->errcode & kUndeclared) != 0) {
      counts_.undeclared = place();
    }
    if (status == 0 && (record_->errcode & ~kUndeclared) == 0) {
      return true;
    }
    const bool is_plain = file_->format.compression == no_compression;
    if (file_->format.format != vcf || (is_plain ? herrno(file_->fp.hfile) : file_->fp.bgzf->errcode) != 0) {
      fail("the VCF is damaged here, or after this place");
    }
    leave_out("line " + std::to_string(file_->lineno), "is not a record of VCF");
  }
}

// Whether the record is one of this reference that can be searched.
bool VariantReader::fits(const std::string& contig, const Letters& letters) {
  bcf1_t* const record = record_.get();
  bcf_unpack(record, BCF_UN_STR);
  const std::string_view written = record->n_allele > 0 ? record->d.allele[0] : "";
  const std::string of_vcf = sequence::upper_bases(written);
  const auto begin = static_cast<std::uint64_t>(record->pos);
  const auto of_reference = letters(contig, begin, begin + of_vcf.size());
  if (find_not_iupac(written) < written.size() || !of_reference || !is_same(*of_reference, of_vcf)) {
    leave_out(place(), "REF is " + std::string(written) + ", but the reference has " +
                           of_reference.value_or("no such position") + "; give the VCF of this reference");
    return false;
  }
  std::int32_t* genotypes = genotypes_.release();
  genotypes_count_ = samples_.empty() ? 0 : bcf_get_genotypes(header_.get(), record, &genotypes, &genotypes_room_);
  genotypes_.reset(genotypes);
  const std::size_t ploidy =
      static_cast<std::size_t>(std::max(genotypes_count_, 0)) / std::max<std::size_t>(samples_.size(), 1);
  for (std::size_t s = 0; ploidy > 2 && s < samples_.size(); ++s) {
    if (genotypes[s * ploidy + 2] != bcf_int32_vector_end) {
      leave_out(place(),
                "the sample " + samples_[s] + " has more than two alleles; samples with one or two can be searched");
      return false;
    }
  }
  counts_.on_codes += *of_reference != of_vcf ? 1 : 0;
  ++counts_.taken;
  return true;
}

bool VariantReader::next(std::string& contig, scan::AlleleList& list, const Letters& letters) {
  list = {};
  list.haplotypes.resize(2 * samples_.size());
  bool is_known = false;
  for (hts_pos_t last = 0; has_record_; has_record_ = read()) {
    bcf1_t* const record = record_.get();
    const std::string name = bcf_seqname_safe(header_.get(), record);
    if (!is_known || name != contig) {
      if (!letters(name, 0, 0)) {
        foreign_ = foreign_.empty() ? name : foreign_;
        counts_.left_out += record->n_allele > 0 ? record->n_allele - 1u : 0u;
        continue;
      }
      if (is_known) {
        break;  // the next contig
      }
      if (!done_.insert(name).second) {
        fail("the VCF is not sorted: this contig was there before");
      }
      contig = name;
      is_known = true;
      last = 0;
    }
    if (record->pos < 0) {
      counts_.left_out += record->n_allele > 0 ? record->n_allele - 1u : 0u;
      continue;
    }
    if (record->pos < last) {
      fail("the VCF is not sorted by position; sort it with bcftools sort");
    }
    last = record->pos;
    if (fits(contig, letters)) {
      add(list, contig);
    }
  }
  if (!is_known) {
    if (done_.empty() && !foreign_.empty()) {
      throw InputError(
          path_, 0,
          "the reference has none of its sequences (the first one is " + foreign_ +
              "): their names differ, for example chr1 and 1; bcftools annotate --rename-chrs changes them");
    }
    if (counts_.odd > counts_.taken) {
      throw InputError(path_, 0,
                       counts_.first_odd + " (" + std::to_string(counts_.odd) + " of " +
                           std::to_string(counts_.odd + counts_.taken) + " records do not fit)");
    }
    return false;
  }
  sort_by_place(list);
  return true;
}

// Adds the alternative alleles of the record, and who has them.
void VariantReader::add(scan::AlleleList& list, const std::string& contig) {
  bcf1_t* const record = record_.get();
  constexpr std::uint32_t kNone = scan::AlleleList::kReference;
  std::vector<std::uint32_t> index(record->n_allele, kNone);
  for (unsigned a = 1; a < record->n_allele; ++a) {
    const std::string_view written = record->d.allele[a];
    if (written.empty() || written.find_first_not_of(kVariantLetters) != written.npos) {
      counts_.left_out += written != "*" && written != "." ? 1 : 0;  // these two are no allele here
      continue;
    }
    std::string reference = sequence::upper_bases(record->d.allele[0]);
    std::string letters = sequence::upper_bases(written);
    std::size_t same = 0;
    while (same < reference.size() && same < letters.size() && reference[same] == letters[same]) {
      ++same;
    }
    reference.erase(0, same);
    letters.erase(0, same);
    while (!reference.empty() && !letters.empty() && reference.back() == letters.back()) {
      reference.pop_back();
      letters.pop_back();
    }
    const auto record_begin = static_cast<std::uint64_t>(record->pos);
    const std::uint64_t begin = record_begin + same;
    index[a] = static_cast<std::uint32_t>(list.alleles.size());
    list.alleles.push_back(
        {begin, begin + reference.size(), letters,
         contig + ':' + std::to_string(record->pos + 1) + ':' + record->d.allele[0] + '>' + std::string(written),
         record_begin, record_begin + std::string_view(record->d.allele[0]).size()});
    if (samples_.empty()) {
      list.haplotypes.push_back({{index[a], index[a]}});
    }
  }
  if (samples_.empty()) {
    return;
  }
  if (genotypes_count_ <= 0) {
    // Nobody is known to have them.
    counts_.without_genotypes += static_cast<std::uint64_t>(
        std::count_if(index.begin(), index.end(), [](std::uint32_t one) { return one != kNone; }));
    return;
  }
  const std::size_t ploidy = static_cast<std::size_t>(genotypes_count_) / samples_.size();
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const std::int32_t* const own = genotypes_.get() + s * ploidy;
    std::size_t alleles = 0;
    while (alleles < ploidy && own[alleles] != bcf_int32_vector_end) {
      ++alleles;
    }
    const auto allele_of = [&](std::size_t n) {
      const int a = bcf_gt_is_missing(own[n]) ? 0 : bcf_gt_allele(own[n]);
      return a > 0 && a < static_cast<int>(index.size()) ? index[static_cast<std::size_t>(a)] : kNone;
    };
    const bool is_phased = alleles < 2 || bcf_gt_is_phased(own[1]);
    for (std::size_t n = 0; n < alleles; ++n) {
      const std::uint32_t here = allele_of(n);
      const std::uint32_t other = is_phased ? here : allele_of(1 - n);
      if (here != kNone || other != kNone) {
        list.haplotypes[2 * s + n].push_back({here, other});
      }
    }
  }
}

}  // namespace trawl::io
