package io.agentworkspace.engine.memory.documents.extract;

/** The limits of a file's content. A file beyond them is refused, whatever it declares. */
public final class Bounds {
    /** The characters of extracted text. */
    public static final int CHARACTERS = 5_000_000;

    /** The characters of one block; a longer one is split. */
    public static final int BLOCK = 20_000;

    /** The number of headings, paragraphs, items and rows. */
    public static final int BLOCKS = 200_000;

    /** The bytes that a zip of parts, such as DOCX, may unpack to. */
    public static final long UNPACKED = 100L << 20;

    /** The files in a zip of parts. */
    public static final int ENTRIES = 5_000;

    /** The nesting depth of JSON, and of the XML in a zip of parts. */
    public static final int DEPTH = 200;

    /** The nesting depth of HTML. Browsers have the same limit. */
    public static final int HTML_DEPTH = 512;

    public static final int PAGES = 5_000;

    /** The columns of a sheet. Programs have the same limit. */
    public static final int COLUMNS = 16_384;

    /** The characters of the texts that the cells of a workbook share. */
    public static final int SHARED = 20_000_000;

    /** The attachments of a mail, with those of its attached mails. */
    public static final int ATTACHMENTS = 100;

    /** The depth of mails in mails. */
    public static final int MAILS = 5;

    /** The warnings about parts and bytes that cannot be read, with those of attachments. */
    public static final int WARNINGS = 20;

    private Bounds() {}
}
