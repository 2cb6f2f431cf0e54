package io.agentworkspace.engine.documents.extract;

/** How much there may be in a file, besides its size: what is beyond is refused, whatever the file says it is. */
final class Bounds {
    /** Characters of extracted text. */
    static final int CHARACTERS = 5_000_000;

    /** Characters of one block; a longer one is split. */
    static final int BLOCK = 20_000;

    /** Headings, paragraphs, items and rows. */
    static final int BLOCKS = 200_000;

    /** Bytes that a DOCX may unpack to. */
    static final long UNPACKED = 100L << 20;

    /** Files in a DOCX. */
    static final int ENTRIES = 5_000;

    /** How deep JSON, and the XML of a DOCX, may be nested. */
    static final int DEPTH = 200;

    /** How deep HTML may be nested; browsers stop at the same number. */
    static final int HTML_DEPTH = 512;

    static final int PAGES = 5_000;

    private Bounds() {}
}
