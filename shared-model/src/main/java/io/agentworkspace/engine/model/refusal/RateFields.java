package io.agentworkspace.engine.model.refusal;

import io.agentworkspace.engine.model.tool.Allowance;
import java.util.List;

/**
 * The header fields {@code RateLimit-Policy} and {@code RateLimit} (draft-ietf-httpapi-ratelimit-headers-11), which
 * report allowances. Each allowance is a policy named by its scope; the rate limit's policy is named {@code default}.
 */
public final class RateFields {
    public static final String POLICY = "RateLimit-Policy";
    public static final String CURRENT = "RateLimit";

    private RateFields() {}

    /** Returns the policies: {@code "default";q=400;w=2, "commands";q=10000;w=86400}. */
    public static String policy(List<Allowance> allowances) {
        var text = new StringBuilder(64);
        for (var allowance : allowances) {
            named(text, allowance).append(";q=").append(allowance.limit());
            if (allowance.windowSeconds() != null) {
                text.append(";w=").append(allowance.windowSeconds().longValue());
            }
        }
        return text.toString();
    }

    /** Returns what is left: {@code "default";r=399;t=0, "commands";r=9958;t=3600}. */
    public static String current(List<Allowance> allowances) {
        var text = new StringBuilder(64);
        for (var allowance : allowances) {
            named(text, allowance).append(";r=").append(allowance.remaining());
            if (allowance.resetSeconds() != null) {
                text.append(";t=").append(allowance.resetSeconds().longValue());
            }
        }
        return text.toString();
    }

    private static StringBuilder named(StringBuilder text, Allowance allowance) {
        var name = allowance.scope().equals(Allowance.RATE) ? "default" : allowance.scope();
        return text.append(text.isEmpty() ? "\"" : ", \"").append(name).append('"');
    }
}
