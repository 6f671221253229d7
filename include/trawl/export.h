/* TRAWL_API: what the shared library shows. Everything else in it is hidden. */
#ifndef TRAWL_EXPORT_H
#define TRAWL_EXPORT_H
#if defined(__GNUC__) || defined(__clang__)
#define TRAWL_API __attribute__((visibility("default")))
#else
#define TRAWL_API
#endif
#endif
