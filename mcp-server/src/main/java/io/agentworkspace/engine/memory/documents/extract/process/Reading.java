package io.agentworkspace.engine.memory.documents.extract.process;

import io.agentworkspace.engine.memory.documents.conversation.Conversation;
import io.agentworkspace.engine.memory.documents.conversation.SaidText;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import io.agentworkspace.engine.memory.documents.extract.DeclaredCharset;
import io.agentworkspace.engine.memory.documents.extract.HtmlExtractor;
import io.agentworkspace.engine.memory.documents.extract.JsonExtractor;
import io.agentworkspace.engine.memory.documents.extract.MarkdownExtractor;
import io.agentworkspace.engine.memory.documents.extract.PdfExtractor;
import io.agentworkspace.engine.memory.documents.extract.PlainExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.TextDecoder;
import io.agentworkspace.engine.memory.documents.extract.TextShape;
import io.agentworkspace.engine.memory.documents.extract.TypeDetector;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.memory.documents.extract.mail.Attachments;
import io.agentworkspace.engine.memory.documents.extract.mail.MailExtractor;
import io.agentworkspace.engine.memory.documents.extract.mail.MailPart;
import io.agentworkspace.engine.memory.documents.extract.mail.OutlookExtractor;
import io.agentworkspace.engine.memory.documents.extract.office.RtfExtractor;
import io.agentworkspace.engine.memory.documents.extract.office.ZipType;
import io.agentworkspace.engine.memory.documents.extract.process.Extraction.DeclaredFile;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads one document: it detects the type of the file, and of each attachment, and chooses the reader. */
final class Reading {
    private static final String PART =
            "a part of the file that its main text can do without, such as styles, notes or a diagram, is damaged or missing; what could not be read of it is left out";

    private final BlockWriter out;
    private final List<DocumentReason> warnings;
    private final Attachments attachments;

    Reading(BlockWriter out, List<DocumentReason> warnings) {
        this.out = out;
        this.warnings = warnings;
        this.attachments = new Attachments(this::attachment, this::warn);
    }

    private void attachment(MailPart part) {
        read(part.file(), new DeclaredFile(part.name(), null, part.charset(), out.wantsComments()));
    }

    /** Adds a warning with the place of the attachment that is read. The first ones tell enough. */
    private void warn(DocumentReason warning) {
        if (warnings.size() < Bounds.WARNINGS) {
            warnings.add(new DocumentReason(warning.code(), warning.message(), out.placed(warning.position())));
        }
    }

    /** @throws Rejection if it cannot be read */
    DocumentType read(byte[] file, DeclaredFile claim) {
        if (file.length == 0) {
            throw new Rejection(Code.EMPTY, "the file has no bytes");
        }
        return switch (TypeDetector.format(file, claim.isCalled(DocumentType.EML))) {
            case PDF -> {
                PdfExtractor.extract(file, out);
                yield DocumentType.PDF;
            }
            case ZIP -> parts(file);
            case RTF -> {
                RtfExtractor.extract(file, out);
                yield DocumentType.RTF;
            }
            case EML -> {
                MailExtractor.extract(mail(file), out, attachments);
                yield DocumentType.EML;
            }
            case MSG -> {
                OutlookExtractor.extract(file, out, attachments);
                yield DocumentType.MSG;
            }
            case HTML -> text(decoded(file, claim), DocumentType.HTML);
            case TEXT -> {
                var text = decoded(file, claim);
                if (text.isBlank()) {
                    throw new Rejection(Code.EMPTY, "the file has nothing but white space");
                }
                var shape = TextShape.of(text);
                var isCalledCsv = shape == DocumentType.TEXT && claim.isCalled(DocumentType.CSV);
                yield text(text, isCalledCsv ? DocumentType.CSV : shape);
            }
        };
    }

    private DocumentType parts(byte[] file) {
        try (var zip = ZipPackage.open(file)) {
            var type = ZipType.of(zip);
            ZipType.extract(zip, type, out);
            zip.unread().forEach(part -> warn(new DocumentReason(Code.PART_DAMAGED, PART, part)));
            return type;
        }
    }

    /** Returns a mail as it was sent, although an editor or a shell saved it in UTF-16. */
    private static byte[] mail(byte[] file) {
        for (var i = 0; i < Math.min(file.length, 4); i++) {
            if (file[i] == 0 || file[i] == (byte) 0xFF) {
                return TextDecoder.decode(file, DeclaredCharset.ofUpload(null))
                        .text()
                        .getBytes(StandardCharsets.UTF_8);
            }
        }
        return file;
    }

    private String decoded(byte[] file, DeclaredFile claim) {
        var decoded = TextDecoder.decode(file, DeclaredCharset.ofUpload(claim.charset()));
        decoded.warnings().forEach(this::warn);
        return decoded.text();
    }

    private DocumentType text(String text, DocumentType type) {
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
            default -> PlainExtractor.extract(text, out);
        }
        return type;
    }
}
