#include "results.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/version.hpp"
#include "columns/map_columns.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

std::string_view text_of(const Texts& texts, const InputTexts* given, std::size_t read, const char* what) {
  if (given != nullptr && read < given->size()) return given->texts()[read];
  if (read < texts.size()) return texts[read];
  throw UsageError("there are no " + std::string(what) + " of read " + std::to_string(read));
}

// Columns as bytes, and back.

template <class T>
nb::object packed(const std::vector<T>& column) {
  return nb::bytes(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T));
}
nb::object packed(const std::string& text) { return nb::bytes(text.data(), text.size()); }
nb::object packed(const Texts& texts) { return nb::make_tuple(packed(texts.offset), packed(texts.text)); }
nb::object packed(const Cigars& cigars) { return nb::make_tuple(packed(cigars.offset), packed(cigars.elements)); }
nb::object packed(const std::vector<std::string>& names) {
  Texts texts;
  for (const std::string& name : names) texts.add(name);
  return packed(texts);
}

void check(bool is_good) {
  if (!is_good) throw UsageError("this pickle was made by another version of trawl, or is damaged; make it again");
}

template <class T>
T checked(nb::handle from) {
  check(nb::isinstance<T>(from));
  return nb::borrow<T>(from);
}
nb::tuple checked(nb::handle from, std::size_t parts) {
  auto all = checked<nb::tuple>(from);
  check(all.size() == parts);
  return all;
}

template <class T>
void unpack(nb::handle from, std::vector<T>& column) {
  const auto bytes = checked<nb::bytes>(from);
  check(bytes.size() % sizeof(T) == 0);
  column.resize(bytes.size() / sizeof(T));
  if (!column.empty()) std::memcpy(column.data(), bytes.c_str(), column.size() * sizeof(T));
}
void unpack(nb::handle from, std::string& text) {
  const auto bytes = checked<nb::bytes>(from);
  text.assign(bytes.c_str(), bytes.size());
}
template <class Elements>
void unpack(nb::handle from, std::vector<std::uint64_t>& offset, Elements& elements) {
  const auto both = checked(from, 2);
  unpack(both[0], offset);
  unpack(both[1], elements);
  check(!offset.empty() && offset.front() == 0 && offset.back() == elements.size() && std::ranges::is_sorted(offset));
}
void unpack(nb::handle from, Texts& texts) { unpack(from, texts.offset, texts.text); }
void unpack(nb::handle from, Cigars& cigars) { unpack(from, cigars.offset, cigars.elements); }
void unpack(nb::handle from, std::vector<std::string>& names) {
  Texts texts;
  unpack(from, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) names.emplace_back(texts[i]);
}

// The version stands last in a state.
void check_version(nb::handle state, std::size_t parts) {
  check(checked(state, parts)[parts - 1].equal(nb::str(version())));
}

template <class Result>
nb::object packed_rows(const Result& rows) {
  return std::apply([](const auto&... column) { return nb::make_tuple(packed(column)...); }, columns::columns_of(rows));
}

template <class Result>
void unpack_rows(nb::handle from, Result& rows) {
  std::size_t i = 0;
  std::apply(
      [&](auto&... column) {
        const nb::tuple columns = checked(from, sizeof...(column));
        (unpack(columns[i++], column), ...);
        check(((column.size() == rows.size()) && ...));
      },
      columns::columns_of(rows));
}

}  // namespace

AlignmentTable::AlignmentTable(Alignments found, Labels contigs, bool has_pairs, std::shared_ptr<InputTexts> reads,
                               std::shared_ptr<InputTexts> qualities)
    : found_(std::make_shared<const Alignments>(std::move(found))),
      of_reads_(found_),
      reads_(std::move(reads)),
      qualities_(std::move(qualities)) {
  static_cast<Table&>(*this) = columns::table_of(found_, std::move(contigs), has_pairs);
}

std::string_view AlignmentTable::name(std::size_t read) const {
  const Texts& names = of_reads_->names;
  return read < names.size() ? names[read] : std::string_view();
}

std::string_view AlignmentTable::bases(std::size_t read) const {
  return text_of(of_reads_->bases, reads_.get(), read, "bases");
}

std::string_view AlignmentTable::qualities(std::size_t read) const {
  if (qualities_ == nullptr && of_reads_->qualities.size() == 0) return {};  // the call had none
  return text_of(of_reads_->qualities, qualities_.get(), read, "qualities");
}

AlignmentTable AlignmentTable::chosen(Rows rows) const {
  AlignmentTable made(*this);
  made.found_ = std::make_shared<const Alignments>(columns::chosen(*found_, rows));
  static_cast<Table&>(made) = columns::table_of(made.found_, find("contig")->labels, has_pairs(), of_reads_);
  return made;
}

nb::tuple AlignmentTable::state() const {
  std::vector<bool> has_row;
  for (const std::uint32_t read : found_->read) {
    if (read >= has_row.size()) has_row.resize(read + 1);
    has_row[read] = true;
  }
  Texts names, bases, quality;
  for (std::size_t read = 0; read < has_row.size(); ++read) {
    names.add(has_row[read] ? name(read) : std::string_view());
    bases.add(has_row[read] ? this->bases(read) : std::string_view());
    quality.add(has_row[read] ? qualities(read) : std::string_view());
  }
  return nb::make_tuple(packed_rows(*found_), packed(*find("contig")->labels), has_pairs(), packed(names),
                        packed(bases), packed(quality), version());
}

AlignmentTable AlignmentTable::of_state(const nb::tuple& state) {
  check_version(state, 7);
  Alignments rows;
  std::vector<std::string> contigs;
  unpack_rows(state[0], rows);
  unpack(state[1], contigs);
  unpack(state[3], rows.names);
  unpack(state[4], rows.bases);
  unpack(state[5], rows.qualities);
  return {std::move(rows), std::make_shared<const std::vector<std::string>>(std::move(contigs)),
          nb::cast<bool>(state[2])};
}

SiteTable::SiteTable(Hits given, std::shared_ptr<const std::vector<Pattern>> searched, Labels names)
    : patterns(std::move(searched)) {
  if (given.contigs.empty()) given.contigs = {""};
  found = std::make_shared<const Hits>(std::move(given));
  static_cast<Table&>(*this) = columns::table_of(found, Labels(found, &found->contigs), std::move(names));
}

nb::tuple SiteTable::state() const {
  Texts bases, names;
  for (const Pattern& pattern : *patterns) {
    bases.add(pattern.bases);
    names.add(pattern.name);
  }
  return nb::make_tuple(packed_rows(*found), packed(found->contigs), packed(bases), packed(names),
                        packed(*find("name")->labels), version());
}

SiteTable SiteTable::of_state(const nb::tuple& state) {
  check_version(state, 6);
  Hits rows;
  Texts bases, names;
  std::vector<std::string> labels;
  unpack_rows(state[0], rows);
  unpack(state[1], rows.contigs);
  unpack(state[2], bases);
  unpack(state[3], names);
  unpack(state[4], labels);
  check(names.size() == bases.size());
  std::vector<Pattern> searched;
  for (std::size_t i = 0; i < bases.size(); ++i) searched.emplace_back(bases[i], names[i]);
  return {std::move(rows), std::make_shared<const std::vector<Pattern>>(std::move(searched)),
          std::make_shared<const std::vector<std::string>>(std::move(labels))};
}

}  // namespace trawl::python
