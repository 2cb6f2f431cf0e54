package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.rules.cel.ExpressionInput;
import io.agentworkspace.engine.rules.cel.ExpressionInput.Fields;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules about documents: those that apply to {@code documents}. The validation of a document asks them when it knows
 * its type and text, before it accepts it:
 *
 * <pre>{@code
 * var verdict = documentRules.check(tenant, document, submitter, now, requestId);
 * if (verdict.denial() != null) reject with the reason code "rule" and verdict.denial().note()
 * }</pre>
 *
 * <p>{@code verdict.noted()} are the names of the rules that matched, for the audit. A tenant without such rules costs a
 * look into a cache.
 */
public final class DocumentRules {
    private final RuleSets sets;
    private final RuleEvaluator evaluator;

    DocumentRules(RuleSets sets, RuleEvaluator evaluator) {
        this.sets = sets;
        this.evaluator = evaluator;
    }

    /**
     * What rules see of a document, as the variable {@code document}.
     *
     * @param mediaType by content, such as {@code application/pdf}
     * @param size in bytes
     * @param text as extracted; of a long one rules need no more than the first million characters
     * @param warnings codes of what was found that does not reject it, such as {@code instructions} or {@code secrets}
     */
    public record Document(
            String name,
            String mediaType,
            long size,
            long version,
            String sha256,
            String text,
            List<String> warnings) {}

    /**
     * Who submitted it, as the variable {@code principal}.
     *
     * @param role as a word
     * @param key the id of the API key
     */
    public record Submitter(
            String user,
            String role,
            @Nullable String agent,
            @Nullable String key,
            List<String> capabilities) {}

    /** Whether the tenant has such rules: without them nobody needs the text. */
    public boolean areThere(long tenant) {
        return !sets.of(tenant).ofDocuments().isEmpty();
    }

    /**
     * What the tenant's rules say of a document. Counts for each rule what it matches.
     *
     * @param about the request id, or another that finds the validation in the log
     */
    public Verdict check(long tenant, Document document, Submitter submitter, Instant now, String about) {
        var rules = sets.of(tenant).ofDocuments();
        return rules.isEmpty()
                ? Verdict.NONE
                : evaluator.verdict(tenant, rules, input(document, submitter, now), true, about);
    }

    private static ExpressionInput input(Document document, Submitter submitter, Instant now) {
        return new ExpressionInput(
                DocumentRules::command,
                _ -> null,
                _ -> null,
                "",
                principal(submitter),
                fields(document),
                now,
                Set.of());
    }

    static @Nullable Object command(String field) {
        return switch (field) {
            case "name" -> ActiveRule.DOCUMENTS;
            case "family" -> "document";
            case "effect" -> "creates";
            default -> null;
        };
    }

    private static Fields principal(Submitter by) {
        return field -> switch (field) {
            case "user" -> by.user();
            case "role" -> by.role();
            case "agent" -> by.agent();
            case "key" -> by.key();
            case "capabilities" -> by.capabilities();
            default -> null;
        };
    }

    private static Fields fields(Document document) {
        return field -> switch (field) {
            case "name" -> document.name();
            case "media_type" -> document.mediaType();
            case "size" -> document.size();
            case "version" -> document.version();
            case "sha256" -> document.sha256();
            case "text" -> document.text();
            case "warnings" -> document.warnings();
            default -> null;
        };
    }
}
