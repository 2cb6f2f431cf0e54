package io.agentworkspace.engine.memory.documents.extract.mail;

import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.DeclaredCharset;
import io.agentworkspace.engine.memory.documents.extract.HtmlExtractor;
import io.agentworkspace.engine.memory.documents.extract.PlainExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.TextDecoder;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A decoded part of a mail: its text, or an attachment.
 *
 * @param charset by its name, if the mail says it
 */
public record MailPart(String name, byte[] file, @Nullable String charset) {

    /** Writes the mail's own text. */
    void writeText(boolean isHtml, BlockWriter out, Consumer<DocumentReason> warnings) {
        var decoded = decoded(isHtml);
        decoded.warnings().forEach(warnings);
        var text = decoded.text();
        out.within("text", 1, () -> {
            if (isHtml) {
                HtmlExtractor.extractPart(text, "", out);
            } else {
                PlainExtractor.extract(text, out);
            }
        });
    }

    /** A mail is not refused for the encoding of its text, which its reader cannot mend. */
    private TextDecoder.DecodedText decoded(boolean isHtml) {
        Optional<Charset> declared = Optional.empty();
        try {
            declared = DeclaredCharset.ofUpload(charset);
            declared = declared.isPresent() || !isHtml ? declared : DeclaredCharset.inHead(file);
            return TextDecoder.decode(file, declared);
        } catch (Rejection undecided) {
            if (charset != null && declared.isEmpty()) { // No program knows its name.
                return new MailPart(name, file, null).decoded(isHtml);
            }
            return new TextDecoder.DecodedText(
                    new String(file, declared.orElse(StandardCharsets.UTF_8)),
                    List.of(
                            DocumentReason.of(
                                    Code.ENCODING_FAULTS,
                                    "a warning: the mail's text has bytes that are not in its encoding, which were replaced by \uFFFD")));
        }
    }
}
