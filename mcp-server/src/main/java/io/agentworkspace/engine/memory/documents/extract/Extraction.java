package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.conversation.Conversation;
import io.agentworkspace.engine.memory.documents.conversation.SaidText;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result for a file: its type, its blocks, and the reasons against it.
 *
 * @param type null if it is not accepted
 */
public record Extraction(@Nullable DocumentType type, List<Block> blocks, List<DocumentReason> reasons) {

    /**
     * What a file was sent with: its name and type, which are only compared with its content, and its encoding.
     *
     * @param charset by its name
     */
    public record DeclaredFile(
            String name,
            @Nullable String mediaType,
            @Nullable String charset) {
        private Optional<DocumentType> type() {
            return Optional.ofNullable(mediaType)
                    .flatMap(DocumentType::ofMediaType)
                    .or(() -> DocumentType.ofName(name));
        }
    }

    /** Extracts a file. This returns for any content, unless it takes too much time or memory. */
    static Extraction of(byte[] file, DeclaredFile claim) {
        var out = new BlockWriter();
        var warnings = new ArrayList<DocumentReason>();
        DocumentType type = null;
        try {
            type = read(file, claim, out, warnings);
            check(out, type);
            var reasons = new ArrayList<>(ContentScan.reasons(out.blocks()));
            reasons.addAll(warnings);
            mismatch(type, claim).ifPresent(reasons::addFirst);
            return new Extraction(type, out.blocks(), List.copyOf(reasons));
        } catch (Rejection rejection) {
            return new Extraction(type, List.of(), reasons(rejection.reason(), type, claim));
        } catch (RuntimeException unforeseen) { // The parser failed on the file.
            var unreadable = DocumentReason.of(Code.DAMAGED, "it cannot be read; open it and save it again");
            return new Extraction(type, List.of(), List.of(unreadable));
        } catch (StackOverflowError e) {
            var deep = DocumentReason.of(Code.DAMAGED, "its structure is nested deeper than any program can read");
            return new Extraction(type, List.of(), List.of(deep));
        }
    }

    private static List<DocumentReason> reasons(DocumentReason found, @Nullable DocumentType type, DeclaredFile claim) {
        var isOther = found.code() == Code.TYPE_NOT_ALLOWED && claim.type().isPresent();
        return isOther
                ? List.of(
                        found,
                        DocumentReason.of(
                                Code.TYPE_MISMATCH,
                                "it is called %s, but its content is not; give it the name and type of its content"
                                        .formatted(claim.type().get().title())))
                : type == null
                        ? List.of(found)
                        : mismatch(type, claim)
                                .map(mismatch -> List.of(found, mismatch))
                                .orElse(List.of(found));
    }

    private static Optional<DocumentReason> mismatch(DocumentType type, DeclaredFile claim) {
        return claim.type()
                .filter(claimed -> !claimed.isLike(type))
                .map(claimed -> DocumentReason.of(
                        Code.TYPE_MISMATCH,
                        "it is called %s, but its content is %s; give it the name and type of its content"
                                .formatted(claimed.title(), type.title())));
    }

    private static DocumentType read(byte[] file, DeclaredFile claim, BlockWriter out, List<DocumentReason> warnings) {
        if (file.length == 0) {
            throw new Rejection(Code.EMPTY, "the file has no bytes");
        }
        return switch (TypeDetector.format(file)) {
            case PDF -> {
                PdfExtractor.extract(file, out);
                yield DocumentType.PDF;
            }
            case DOCX -> {
                DocxExtractor.extract(file, out);
                yield DocumentType.DOCX;
            }
            case HTML -> text(decoded(file, claim, warnings), DocumentType.HTML, out);
            case TEXT -> {
                var text = decoded(file, claim, warnings);
                if (text.isBlank()) {
                    throw new Rejection(Code.EMPTY, "the file has nothing but white space");
                }
                var shape = TextShape.of(text);
                var isCalledCsv = shape == DocumentType.TEXT
                        && claim.type().filter(DocumentType.CSV::equals).isPresent();
                yield text(text, isCalledCsv ? DocumentType.CSV : shape, out);
            }
        };
    }

    private static String decoded(byte[] file, DeclaredFile claim, List<DocumentReason> warnings) {
        var decoded = TextDecoder.decode(file, DeclaredCharset.ofUpload(claim.charset()));
        warnings.addAll(decoded.warnings());
        return decoded.text();
    }

    private static DocumentType text(String text, DocumentType type, BlockWriter out) {
        var isJson = type == DocumentType.JSON;
        var turns = isJson || type == DocumentType.TEXT || type == DocumentType.MARKDOWN
                ? Conversation.turns(text, isJson)
                : List.<SaidText>of();
        if (!turns.isEmpty()) {
            out.addConversation(turns);
            return type;
        }
        switch (type) {
            case HTML -> HtmlExtractor.extract(text, out);
            case JSON -> JsonExtractor.extract(text, out);
            case CSV -> CsvExtractor.extract(text, out);
            case MARKDOWN -> MarkdownExtractor.extract(text, out);
            case TEXT, PDF, DOCX -> PlainExtractor.extract(text, out);
        }
        return type;
    }

    private static void check(BlockWriter out, DocumentType type) {
        if (out.isEmpty()) {
            throw new Rejection(
                    Code.NO_TEXT,
                    type == DocumentType.PDF
                            ? "it has no text: scanned pages are images, and no text is recognised in images"
                            : "no text can be extracted from it");
        }
    }
}
