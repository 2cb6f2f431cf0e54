package io.agentworkspace.engine.identity.rules.cel;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds texts that look like credentials: keys in well-known formats, private keys, and tokens. */
final class SecretPatterns {
    /**
     * A format of credentials.
     *
     * @param marks substrings of each text in this format, so that most texts need no search by pattern
     * @param anyCase whether the marks are in lower case and may be in any case
     */
    private record Form(String name, List<String> marks, Pattern pattern, boolean anyCase) {
        static Form of(String name, String pattern, String... marks) {
            return new Form(name, List.of(marks), Pattern.compile(pattern), pattern.startsWith("(?i)"));
        }

        boolean isIn(String text, String lower) {
            return isMarked(anyCase ? lower : text) && pattern.matcher(text).find();
        }

        private boolean isMarked(String text) {
            for (var mark : marks) {
                if (text.contains(mark)) {
                    return true;
                }
            }
            return false;
        }
    }

    private static final List<Form> FORMS = List.of(
            Form.of("a private key", "-----BEGIN [A-Z ]*PRIVATE KEY", "-----BEGIN "),
            Form.of("a key of this service", "\\bek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}\\b", "ek_"),
            Form.of("a webhook secret", "\\bwhsec_[0-9A-Za-z+/]{30,}", "whsec_"),
            Form.of("an AWS access key", "\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b", "AKIA", "ASIA"),
            Form.of(
                    "a GitHub token",
                    "\\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})",
                    "ghp_",
                    "gho_",
                    "ghu_",
                    "ghs_",
                    "ghr_",
                    "github_pat_"),
            Form.of("a GitLab token", "\\bglpat-[0-9A-Za-z_-]{20,}", "glpat-"),
            Form.of("a Slack token", "\\bxox[abeoprs]-[0-9A-Za-z-]{10,}", "xox"),
            Form.of("a Stripe key", "\\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}", "k_live_", "k_test_"),
            Form.of("a key of a model provider", "\\bsk-(?:ant-|proj-|svcacct-)?[0-9A-Za-z_-]{20,}", "sk-"),
            Form.of("a Google API key", "\\bAIza[0-9A-Za-z_-]{35}", "AIza"),
            Form.of("a JSON Web Token", "\\beyJ[0-9A-Za-z_-]{8,}\\.eyJ[0-9A-Za-z_-]{8,}\\.[0-9A-Za-z_-]{8,}", "eyJ"),
            Form.of(
                    "a password",
                    "(?i)\\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token)\\b[\"']?\\s{0,3}[:=]\\s{0,3}[\"']?[^\\s\"'<>{}$*]{8,}",
                    "passw",
                    "pwd",
                    "secret",
                    "api",
                    "access"),
            Form.of("a URL with a password", "\\b[a-z][a-z0-9+.-]{1,20}://[^\\s/:@]{1,100}:[^\\s/@]{3,}@", "://"));

    private SecretPatterns() {}

    /** Returns the kind of the first credential, such as {@code an AWS access key}. */
    public static Optional<String> find(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        for (var form : FORMS) {
            if (form.isIn(text, lower)) {
                return Optional.of(form.name());
            }
        }
        return Optional.empty();
    }
}
