package io.agentworkspace.engine.memory.documents.extract;

/** The limits of a file's content. A file beyond them is refused, whatever it declares. */
final class Bounds {
    /** The characters of extracted text. */
    static final int CHARACTERS = 5_000_000;

    /** The characters of one block; a longer one is split. */
    static final int BLOCK = 20_000;

    /** The number of headings, paragraphs, items and rows. */
    static final int BLOCKS = 200_000;

    /** The bytes that a DOCX may unpack to. */
    static final long UNPACKED = 100L << 20;

    /** The files in a DOCX. */
    static final int ENTRIES = 5_000;

    /** The nesting depth of JSON, and of the XML in a DOCX. */
    static final int DEPTH = 200;

    /** The nesting depth of HTML. Browsers have the same limit. */
    static final int HTML_DEPTH = 512;

    static final int PAGES = 5_000;

    private Bounds() {}
}
