package io.agentworkspace.engine.rules.cel;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Texts that look like credentials: keys of well-known forms, private keys, and tokens. */
public final class SecretPatterns {
    /**
     * A form of credential.
     *
     * @param marks what each text of this form contains, so that most texts need no search by pattern
     */
    private record Form(String name, List<String> marks, Pattern pattern) {
        static Form of(String name, String pattern, String... marks) {
            return new Form(name, List.of(marks), Pattern.compile(pattern));
        }

        boolean isIn(String text, String lower) {
            return marks.stream().anyMatch(mark -> text.contains(mark) || lower.contains(mark))
                    && pattern.matcher(text).find();
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

    /** What the first of them is, such as {@code an AWS access key}. */
    public static Optional<String> find(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        return FORMS.stream()
                .filter(form -> form.isIn(text, lower))
                .map(Form::name)
                .findFirst();
    }
}
