// Places of reads, from Rust, through the header for C. For more than an example, let bindgen write the declarations:
//
//   rustc map_reads.rs -L native=LIBDIR -l trawl && ./map_reads genome.fa GATTACAGGCATGAGCCACC...
use std::ffi::{c_char, c_int, CStr, CString};

#[repr(C)]
struct Text {
    data: *const c_char,
    length: usize,
}

// The columns of trawl_alignment_columns, in its order.
#[repr(C)]
struct Columns {
    rows: usize,
    read: *const u32,
    contig: *const i32,
    start: *const i64,
    end: *const i64,
    flag: *const u16,
    distance: *const u16,
    edits: *const u16,
    score: *const i32,
    mapq: *const u8,
    count: *const u32,
    dropped: *const u32,
    mate_contig: *const i32,
    mate_start: *const i64,
    template_length: *const i64,
    cigar_offset: *const u64,
    cigar: *const u32,
    md_offset: *const u64,
    md: *const c_char,
    first_read: u64,
    reads: usize,
    name_offset: *const u64,
    names: *const c_char,
}

enum Reference {}
enum Mapper {}
enum Alignments {}

extern "C" {
    fn trawl_error_text() -> *const c_char;
    fn trawl_reference_open(path: *const c_char, threads: u32) -> *mut Reference;
    fn trawl_contig_name(reference: *const Reference, contig: usize) -> *const c_char;
    fn trawl_reference_free(reference: *mut Reference);
    fn trawl_mapper_new(reference: *const Reference, options: *const *const c_char, count: usize) -> *mut Mapper;
    fn trawl_mapper_free(mapper: *mut Mapper);
    fn trawl_map(mapper: *const Mapper, reads: *const Text, qualities: *const Text, count: usize) -> *mut Alignments;
    fn trawl_alignments_columns(alignments: *const Alignments) -> Columns;
    fn trawl_alignments_free(alignments: *mut Alignments);
    fn trawl_distance(q: *const c_char, ql: usize, t: *const c_char, tl: usize, mode: c_int, most: i64) -> i64;
}

fn checked<T>(made: *mut T) -> *mut T {
    if made.is_null() {
        let text = unsafe { CStr::from_ptr(trawl_error_text()) };
        eprintln!("map_reads: {}", text.to_string_lossy());
        std::process::exit(1);
    }
    made
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() < 3 {
        eprintln!("usage: map_reads GENOME.fa READ...");
        std::process::exit(2);
    }
    let path = CString::new(arguments[1].as_str()).unwrap();
    let options: Vec<CString> =
        ["report=all", "edits=3"].iter().map(|option| CString::new(*option).unwrap()).collect();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let reads: Vec<Text> = arguments[2..]
        .iter()
        .map(|read| Text { data: read.as_ptr() as *const c_char, length: read.len() })
        .collect();
    unsafe {
        let (a, b) = ("GATTACA", "GATACAT");
        assert_eq!(trawl_distance(a.as_ptr() as *const c_char, 7, b.as_ptr() as *const c_char, 7, 0, -1), 2);
        let reference = checked(trawl_reference_open(path.as_ptr(), 0));
        let mapper = checked(trawl_mapper_new(reference, pointers.as_ptr(), pointers.len()));
        let found = checked(trawl_map(mapper, reads.as_ptr(), std::ptr::null(), reads.len()));
        let columns = trawl_alignments_columns(found);
        for i in 0..columns.rows {
            let contig = *columns.contig.add(i);
            if contig >= 0 {
                let name = CStr::from_ptr(trawl_contig_name(reference, contig as usize)).to_string_lossy();
                println!(
                    "{}\t{}\t{}\t{}\t{}",
                    *columns.read.add(i), name, *columns.start.add(i), *columns.end.add(i), *columns.distance.add(i)
                );
            }
        }
        trawl_alignments_free(found);
        trawl_mapper_free(mapper);
        trawl_reference_free(reference);
    }
}
