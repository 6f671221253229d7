#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "io/read/annotation.hpp"
#include "io/read/bed_regions.hpp"
#include "io/read/line_reader.hpp"

namespace trawl::io {

namespace {

using GenePart = Annotation::GenePart;
using Feature = Annotation::Feature;

// "%41" is an A. Control characters could be commands to a terminal.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3 && byte >= ' ' &&
        byte != 0x7f && byte != ',') {  // a tab would be another column, a comma another name
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += std::iscntrl(static_cast<unsigned char>(text[i])) != 0 ? '_' : text[i];
    }
  }
  return out;
}

// A list with commas, which may have one at its end.
std::vector<std::string_view> list_parts(std::string_view text) {
  text.remove_suffix(text.ends_with(',') ? 1 : 0);
  return parts_of(text, ',');
}

// The last column of GFF3 ("ID=a;Parent=b") and GTF ("gene_id \"a\"; gene_name \"b\";").
class Attributes {
 public:
  explicit Attributes(std::string_view text)
      : text_(text), is_gff3_(text.substr(0, text.find('"')).find('=') != text.npos) {}

  bool is_gff3() const { return is_gff3_; }

  // The value as it is written; empty: there is none.
  std::string_view of(std::string_view key) const {
    for (std::size_t begin = 0; begin < text_.size();) {
      // A semicolon may stand between quotes.
      std::size_t end = begin;
      for (bool quoted = false; end < text_.size() && (quoted || text_[end] != ';'); ++end) {
        quoted ^= !is_gff3_ && text_[end] == '"';
      }
      const std::string_view one = trimmed(text_.substr(begin, end - begin));
      begin = end + 1;
      if (one.size() > key.size() && one.starts_with(key) && one[key.size()] == (is_gff3_ ? '=' : ' ')) {
        std::string_view value = trimmed(one.substr(key.size() + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
          value = value.substr(1, value.size() - 2);
        }
        return value;
      }
    }
    return {};
  }

 private:
  std::string_view text_;
  bool is_gff3_;
};

// The lines of a file, until all are known: a gene may come after its exons.
class Genes {
 public:
  std::uint32_t number_of(const std::string& id) {
    const auto [entry, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(genes_.size()));
    if (is_new) {
      genes_.push_back({id, {}, {}});
    }
    return entry->second;
  }
  void name(std::uint32_t gene, std::string_view name) {
    if (!name.empty() && genes_[gene].name.empty()) {
      genes_[gene].name = decoded(name);
    }
  }
  void add(std::uint32_t gene, GenePart part) {
    part.gene = gene;
    genes_[gene].parts.push_back(std::move(part));
  }

  Annotation annotation() {
    std::vector<std::string> names;
    std::vector<GenePart> parts;
    std::unordered_map<std::string, std::uint32_t> of_name;
    for (Gene& gene : genes_) {
      if (gene.parts.empty()) {
        continue;
      }
      const std::string name = gene.name.empty() ? decoded(gene.id) : gene.name;
      // Several genes may have one name: a place names it once.
      const auto number = of_name.try_emplace(name, static_cast<std::uint32_t>(names.size()));
      if (number.second) {
        names.push_back(name);
      }
      const bool has_parts = std::any_of(gene.parts.begin(), gene.parts.end(),
                                         [](const GenePart& part) { return part.feature >= Feature::exon; });
      // Without a line of its own, a gene reaches over its parts on a contig.
      const bool has_line = std::any_of(gene.parts.begin(), gene.parts.end(),
                                        [](const GenePart& part) { return part.feature == Feature::gene; });
      std::map<std::string, GenePart> whole;
      for (GenePart& part : gene.parts) {
        part.gene = number.first->second;
        if (part.feature == Feature::gene && has_parts) {
          part.feature = Feature::intron;
        }
        const auto [entry, is_first] = whole.try_emplace(part.contig, part);
        entry->second.begin = std::min(entry->second.begin, part.begin);
        entry->second.end = std::max(entry->second.end, part.end);
        parts.push_back(std::move(part));
      }
      for (auto& [contig, part] : whole) {
        if (!has_line) {
          part.feature = Feature::intron;
          parts.push_back(std::move(part));
        }
      }
    }
    return {std::move(names), std::move(parts)};
  }

 private:
  struct Gene {
    std::string id;
    std::string name;
    std::vector<GenePart> parts;
  };

  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Gene> genes_;
};

class AnnotationReader {
 public:
  explicit AnnotationReader(const std::string& path) : lines_(path) {}

  std::shared_ptr<const Annotation> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with("##FASTA") || line.starts_with('>')) {
        break;  // sequences follow the features of a GFF3
      }
      if (is_beside_table(line, !is_gff_ && !is_bed_)) {
        continue;
      }
      const auto cells = parts_of(line, '\t');
      const auto begin = cells.size() > 2 ? whole_number(cells[1]) : std::nullopt;
      const auto end = cells.size() > 2 ? whole_number(cells[2]) : std::nullopt;
      if (!is_bed_ && cells.size() >= 9 && !(begin && end)) {
        is_gff_ = true;
        read_gff(cells);
      } else if (!is_gff_ && begin && end) {
        is_bed_ = true;
        read_bed(cells, *begin, *end);
      } else {
        fail(is_gff_   ? "not a line of GFF3 or GTF, which has nine columns with tabs between them"
             : is_bed_ ? "not a line of BED: a contig, a start and an end, with tabs between them"
                       : "neither GFF3, GTF nor BED; give genes in one of these formats");
      }
    }
    if (!is_gff_ && !is_bed_) {
      throw InputError(lines_.name(), 0, "has no genes; give GFF3, GTF or BED");
    }
    find_parents();
    return std::make_shared<const Annotation>(genes_.annotation());
  }

 private:
  // A feature of GFF3 whose gene is not known until all lines are read.
  struct Child {
    std::string parents;
    GenePart part;
  };

  [[noreturn]] void fail(const std::string& what) const { throw InputError(lines_.name(), lines_.number(), what); }

  void read_gff(const std::vector<std::string_view>& cells) {
    const auto begin = whole_number(cells[3]), end = whole_number(cells[4]);
    if (!begin || !end || *begin == 0 || *end < *begin) {
      fail("the start and the end of a feature are positions from 1, and the end is not before the start");
    }
    const std::string_view type = cells[2];
    const bool is_cds = type == "CDS" || type == "stop_codon";
    const bool is_exon = type == "exon" || type.ends_with("UTR") || type.ends_with("_prime_utr");
    const bool is_gene = type == "gene" || type.ends_with("_gene") || type == "pseudogene";
    const GenePart part{std::string(cells[0]), *begin - 1, *end, 0,
                        is_cds    ? Feature::cds
                        : is_exon ? Feature::exon
                                  : Feature::gene};
    const Attributes attributes(cells[8]);
    if (!attributes.is_gff3()) {
      const std::string_view id = attributes.of("gene_id");
      if (id.empty()) {
        if (is_cds || is_exon || is_gene) {
          fail("no gene_id and no ID in the last column");
        }
        return;
      }
      const std::uint32_t gene = genes_.number_of(std::string(id));
      genes_.name(gene, attributes.of("gene_name"));
      genes_.name(gene, attributes.of("gene"));
      genes_.add(gene, part);
      return;
    }
    const std::string id(attributes.of("ID"));
    const std::string parents(attributes.of("Parent"));
    if (is_gene) {
      const std::uint32_t gene = genes_.number_of(id.empty() ? std::string(attributes.of("Name")) : id);
      for (const char* key : {"gene_name", "Name", "gene", "gene_id"}) {
        genes_.name(gene, attributes.of(key));
      }
      gene_of_.emplace(id, gene);
      genes_.add(gene, part);
      return;
    }
    if (!id.empty() && !parents.empty()) {
      parent_of_.emplace(id, parents);
    }
    if (is_cds || is_exon) {
      children_.push_back({parents.empty() ? id : parents, part});
      if (parents.empty()) {
        orphan_names_.emplace(id, attributes.of("gene"));
      }
    } else if (parents.empty() && !id.empty() &&
               (type == "mRNA" || type.ends_with("transcript") || type.ends_with("RNA"))) {
      // A transcript without a gene stands for one.
      const std::uint32_t gene = genes_.number_of(id);
      for (const char* key : {"gene_name", "gene", "Name"}) {
        genes_.name(gene, attributes.of(key));
      }
      gene_of_.emplace(id, gene);
      genes_.add(gene, part);
    }
  }

  // Gives each exon and CDS of GFF3 to its genes.
  void find_parents() {
    for (Child& child : children_) {
      std::vector<std::uint32_t> found;
      find_genes(child.parents, 0, found);
      if (found.empty()) {
        const std::uint32_t gene = genes_.number_of(child.parents);
        if (const auto name = orphan_names_.find(child.parents); name != orphan_names_.end()) {
          genes_.name(gene, name->second);
        }
        found.push_back(gene);
      }
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      for (const std::uint32_t gene : found) {
        genes_.add(gene, child.part);
      }
    }
  }

  void find_genes(std::string_view ids, int depth, std::vector<std::uint32_t>& found) const {
    constexpr int kDeepest = 10;
    if (depth == kDeepest) {
      return;
    }
    for (const std::string_view part : list_parts(ids)) {
      const std::string id(part);
      if (const auto gene = gene_of_.find(id); gene != gene_of_.end()) {
        found.push_back(gene->second);
      } else if (const auto parent = parent_of_.find(id); parent != parent_of_.end()) {
        find_genes(parent->second, depth + 1, found);
      }
    }
  }

  void read_bed(const std::vector<std::string_view>& cells, std::uint64_t begin, std::uint64_t end) {
    if (end < begin) {
      fail("the end of a gene is before its start");
    }
    const std::string contig(cells[0]);
    const std::string name = cells.size() > 3 && !cells[3].empty()
                                 ? std::string(cells[3])
                                 : contig + ':' + std::to_string(begin) + '-' + std::to_string(end);
    // Lines of one name are parts of one gene, but what lies between them is not.
    const std::uint32_t gene = genes_.number_of(name + '\t' + std::to_string(lines_.number()));
    genes_.name(gene, name);
    genes_.add(gene, {contig, begin, end, 0, Feature::gene});
    if (cells.size() < 12) {
      return;
    }
    const auto thick_begin = whole_number(cells[6]), thick_end = whole_number(cells[7]);
    const auto sizes = list_of(cells[10]), starts = list_of(cells[11]);
    if (!thick_begin || !thick_end || sizes.size() != starts.size()) {
      fail("the blocks of BED12 are not a list of sizes and one of starts");
    }
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      const std::uint64_t from = begin + starts[b], to = from + sizes[b];
      genes_.add(gene, {contig, from, to, 0, Feature::exon});
      const std::uint64_t cds_from = std::max(from, *thick_begin), cds_to = std::min(to, *thick_end);
      if (cds_from < cds_to) {
        genes_.add(gene, {contig, cds_from, cds_to, 0, Feature::cds});
      }
    }
  }

  std::vector<std::uint64_t> list_of(std::string_view text) const {
    std::vector<std::uint64_t> numbers;
    for (const std::string_view part : list_parts(text)) {
      const auto number = whole_number(part);
      if (!number) {
        fail("the blocks of BED12 are not a list of numbers");
      }
      numbers.push_back(*number);
    }
    return numbers;
  }

  LineReader lines_;
  bool is_gff_ = false, is_bed_ = false;
  Genes genes_;
  std::unordered_map<std::string, std::uint32_t> gene_of_;     // GFF3: by ID
  std::unordered_map<std::string, std::string> parent_of_;     // of a transcript, by ID
  std::unordered_map<std::string, std::string> orphan_names_;  // of exons and CDS without a parent, by ID
  std::vector<Child> children_;
};

}  // namespace

std::shared_ptr<const Annotation> read_annotation(const std::string& path) { return AnnotationReader(path).read(); }

}  // namespace trawl::io
