package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.model.plan.Plan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The initial state of a new tenant.
 *
 * @param bootstrapKey first API key of a fresh database; null: a random one
 */
public record TenantSettings(@Nullable String bootstrapKey, Plan plan) {
    static final Setting<String> BOOTSTRAP_KEY = Setting.of(
                    "ENGINE_BOOTSTRAP_KEY",
                    null,
                    "first API key of a fresh database, instead of a random one",
                    "a whole key, ek_<12 characters>_<36 characters>",
                    SettingParsers::key)
            .isSecret();
    static final Setting<Plan> PLAN = Setting.of(
            "ENGINE_PLAN",
            "unlimited",
            "plan of each new tenant",
            "free, team, scale or unlimited",
            SettingParsers.oneOf(Plan.class));

    static TenantSettings read(Map<String, String> values) {
        return new TenantSettings(BOOTSTRAP_KEY.find(values), PLAN.read(values));
    }
}
