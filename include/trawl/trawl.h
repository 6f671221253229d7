/* Trawl from C, and from every language that can call C. docs/library.md and trawl/trawl.hpp say what the calls do;
 * this header has the same things: references, mappers, scanners, the distance of two strings.
 *
 *   trawl_reference* reference = trawl_reference_open("genome.fa", 0);
 *   const char* options[] = {"report=all", "edits=5%"};
 *   trawl_mapper* mapper = reference ? trawl_mapper_new(reference, options, 2) : NULL;
 *   trawl_text reads[] = {{"GATTACAGATTACAGATTACA", 21}};
 *   trawl_alignments* found = mapper ? trawl_map(mapper, reads, NULL, 1) : NULL;
 *   if (found == NULL) {
 *     fprintf(stderr, "%s\n", trawl_error_text());
 *   } else {
 *     trawl_alignment_columns c = trawl_alignments_columns(found);
 *     for (size_t i = 0; i < c.rows; ++i) printf("%u %lld\n", c.read[i], (long long)c.start[i]);
 *   }
 *   trawl_alignments_free(found);
 *   trawl_mapper_free(mapper);
 *   trawl_reference_free(reference);
 *
 * Errors: a function that makes something returns NULL, others a status that is not TRAWL_OK. trawl_error_text() and
 * trawl_error_status() are then about the latest call of this thread that failed. No function ends the program, and no
 * exception leaves one.
 * Memory: what a *_new, _open, _of, map or scan function returns is freed by the *_free function of its type, which
 * takes NULL, too. Columns live as long as what they are of. Handles keep what they need: a reference may be freed
 * while its mapper lives. Threads: any number of them may use one handle at a time, except a stream, which belongs to
 * one at a time. Texts need no 0 at their end, unless they are a plain const char*. Numbers of options: "threads=4";
 * flags: "eqx". */
#ifndef TRAWL_H
#define TRAWL_H

#include <stddef.h>
#include <stdint.h>

#include "trawl/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum trawl_status {
  TRAWL_OK = 0,
  TRAWL_FAILED = 1,      /* the machine failed, for example its memory or its GPU */
  TRAWL_WRONG_USAGE = 2, /* the call is wrong: an option that does not exist, a NULL */
  TRAWL_WRONG_INPUT = 3, /* a file or a sequence has something that cannot be used */
  TRAWL_IO_FAILED = 4,   /* a file cannot be opened, read or written */
  TRAWL_CANCELLED = 5    /* a callback has returned 0 */
} trawl_status;

/* "" if no call of this thread has failed. Valid until the next call of this thread. */
TRAWL_API const char* trawl_error_text(void);
TRAWL_API trawl_status trawl_error_status(void);
/* "0.1.0" */
TRAWL_API const char* trawl_version(void);

typedef struct trawl_text {
  const char* data;
  size_t length;
} trawl_text;

/* Called some times a second, on any thread, never by two at once; `total` is 0 if it is not known. 0 stops the
 * work. */
typedef int (*trawl_progress)(void* user, uint64_t done, uint64_t total);

/* References. `threads`: 0: all cores. A reference has at most 2^31 - 1 contigs. */
typedef struct trawl_reference trawl_reference;
TRAWL_API trawl_reference* trawl_reference_open(const char* path, unsigned threads);
TRAWL_API trawl_reference* trawl_reference_of(const trawl_text* names, const trawl_text* letters, size_t contigs);
TRAWL_API size_t trawl_reference_contigs(const trawl_reference* reference);
/* NULL, or -1, if there is no such contig. */
TRAWL_API const char* trawl_contig_name(const trawl_reference* reference, size_t contig);
TRAWL_API int64_t trawl_contig_length(const trawl_reference* reference, size_t contig);
TRAWL_API void trawl_reference_free(trawl_reference* reference);

/* Reads to alignments. The columns are those of trawl::Alignments (trawl/mapper.hpp). Those that end in _offset have an
 * entry more than there are rows: the elements of row i are [offset[i], offset[i + 1]). */
typedef struct trawl_alignment_columns {
  size_t rows;
  const uint32_t* read;  /* of pair i the mates are 2 i and 2 i + 1 */
  const int32_t* contig; /* -1: not found */
  const int64_t* start;  /* 0-based */
  const int64_t* end;
  const uint16_t* flag; /* as in SAM */
  const uint16_t* distance;
  const uint16_t* edits;
  const int32_t* score;
  const uint8_t* mapq;
  const uint32_t* count;
  const uint32_t* dropped;
  const int32_t* mate_contig;
  const int64_t* mate_start;
  const int64_t* template_length;
  const uint64_t* cigar_offset;
  const uint32_t* cigar; /* length << 4 | operation */
  const uint64_t* md_offset;
  const char* md;
  uint64_t first_read; /* of a batch of files: reads before it */
  size_t reads;        /* of a batch of files: how many it has, with their names, by `read` */
  const uint64_t* name_offset;
  const char* names;
} trawl_alignment_columns;

typedef struct trawl_mapper trawl_mapper;
typedef struct trawl_alignments trawl_alignments;
typedef struct trawl_stream trawl_stream;
/* `options`: "report=all", "edits=5%", "eqx", as trawl map has them. */
TRAWL_API trawl_mapper* trawl_mapper_new(const trawl_reference* reference, const char* const* options, size_t count);
/* "cpu" or "cuda", and why auto has not taken a GPU. */
TRAWL_API const char* trawl_mapper_engine(const trawl_mapper* mapper);
TRAWL_API const char* trawl_mapper_why_engine(const trawl_mapper* mapper);
/* `qualities`: NULL, or as many as reads. */
TRAWL_API trawl_alignments* trawl_map(const trawl_mapper* mapper, const trawl_text* reads, const trawl_text* qualities,
                                      size_t count);
TRAWL_API trawl_alignments* trawl_map_pairs(const trawl_mapper* mapper, const trawl_text* first,
                                            const trawl_text* second, size_t pairs);
/* Files, batch by batch. `mates`: NULL: single reads, or pairs with `interleaved`. `next` gives a batch, or NULL and
 * TRAWL_OK at the end. */
TRAWL_API trawl_stream* trawl_map_files(const trawl_mapper* mapper, const char* reads, const char* mates,
                                        int interleaved);
TRAWL_API trawl_status trawl_stream_next(trawl_stream* stream, trawl_alignments** batch);
TRAWL_API void trawl_stream_free(trawl_stream* stream);
TRAWL_API trawl_alignment_columns trawl_alignments_columns(const trawl_alignments* alignments);
TRAWL_API void trawl_alignments_free(trawl_alignments* alignments);
TRAWL_API void trawl_mapper_free(trawl_mapper* mapper);

/* Patterns to places. The columns are those of trawl::Hits (trawl/scanner.hpp). */
typedef struct trawl_hit_columns {
  size_t rows;
  const uint32_t* pattern;
  const int32_t* contig;
  const int64_t* start; /* 0-based */
  const int64_t* end;
  const uint8_t* reverse;
  const uint16_t* distance;
  const uint16_t* edits;
  const uint16_t* mismatches;
  const uint16_t* dna_bulges;
  const uint16_t* rna_bulges;
  const uint64_t* cigar_offset;
  const uint32_t* cigar;
  const uint64_t* sequence_offset;
  const char* sequence;
} trawl_hit_columns;

typedef struct trawl_scanner trawl_scanner;
typedef struct trawl_hits trawl_hits;
/* Takes some rows; the name of contig i is names[i]. 0 stops the work. The columns live until it returns. */
typedef int (*trawl_take_hits)(void* user, const trawl_hit_columns* columns, const char* const* names);
TRAWL_API trawl_scanner* trawl_scanner_new(const trawl_text* patterns, size_t count, const char* const* options,
                                           size_t option_count);
TRAWL_API trawl_hits* trawl_scan_text(const trawl_scanner* scanner, const char* text, size_t length);
TRAWL_API trawl_hits* trawl_scan(const trawl_scanner* scanner, const trawl_reference* reference,
                                 trawl_progress progress, void* user);
TRAWL_API trawl_status trawl_scan_file(const trawl_scanner* scanner, const char* path, trawl_take_hits take,
                                       void* user);
TRAWL_API trawl_hit_columns trawl_hits_columns(const trawl_hits* hits);
TRAWL_API void trawl_hits_free(trawl_hits* hits);
TRAWL_API void trawl_scanner_free(trawl_scanner* scanner);

/* Two strings, any bytes. `most`: -1: no limit. Returns -1 if the distance is more, -2 if the call failed. */
typedef enum trawl_mode { TRAWL_GLOBAL = 0, TRAWL_PREFIX = 1, TRAWL_INFIX = 2 } trawl_mode;
TRAWL_API int64_t trawl_distance(const char* query, size_t query_length, const char* target, size_t target_length,
                                 trawl_mode mode, int64_t most);
typedef struct trawl_pair_alignment {
  int64_t distance;
  int64_t start; /* of the aligned part of the target */
  int64_t end;
  uint32_t* cigar; /* freed by trawl_pair_alignment_free() */
  size_t cigar_length;
} trawl_pair_alignment;
TRAWL_API trawl_status trawl_align(const char* query, size_t query_length, const char* target, size_t target_length,
                                   trawl_mode mode, int64_t most, trawl_pair_alignment* result);
TRAWL_API void trawl_pair_alignment_free(trawl_pair_alignment* result);

#ifdef __cplusplus
}
#endif

#endif
