#include "results.hpp"

#include <utility>

#include "columns/result_tables.hpp"
#include "trawl/error.hpp"

namespace trawl::python {

namespace {

std::string_view text_of(const Texts& texts, const InputTexts* given, std::size_t read, const char* what) {
  if (given != nullptr && read < given->size()) return given->texts()[read];
  if (read < texts.size()) return texts[read];
  throw UsageError("there are no " + std::string(what) + " of read " + std::to_string(read));
}

}  // namespace

AlignmentTable::AlignmentTable(Alignments found, Labels contigs, bool has_pairs, std::shared_ptr<InputTexts> reads,
                               std::shared_ptr<InputTexts> qualities)
    : found_(std::make_shared<const Alignments>(std::move(found))),
      reads_(std::move(reads)),
      qualities_(std::move(qualities)) {
  static_cast<Table&>(*this) = columns::table_of(found_, std::move(contigs), has_pairs);
}

std::string_view AlignmentTable::name(std::size_t read) const {
  const Texts& names = found_->names;
  return read < names.size() ? names[read] : std::string_view();
}

std::string_view AlignmentTable::bases(std::size_t read) const {
  return text_of(found_->bases, reads_.get(), read, "bases");
}

std::string_view AlignmentTable::qualities(std::size_t read) const {
  if (reads_ != nullptr && qualities_ == nullptr) return {};
  return text_of(found_->qualities, qualities_.get(), read, "qualities");
}

SiteTable::SiteTable(Hits given, std::shared_ptr<const std::vector<Pattern>> searched, Labels names)
    : patterns(std::move(searched)) {
  if (given.contigs.empty()) given.contigs = {""};
  const auto found = std::make_shared<const Hits>(std::move(given));
  static_cast<Table&>(*this) = columns::table_of(found, Labels(found, &found->contigs), std::move(names));
}

}  // namespace trawl::python
