package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.integrations.webhooks.outbox.RetrySchedule;
import io.agentworkspace.engine.kernel.outbound.TrustedCertificates;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The settings of webhooks.
 *
 * @param allowPrivate whether endpoints may use {@code http} and private addresses
 * @param authorities additional trusted certificates
 */
public record WebhookSettings(boolean allowPrivate, List<X509Certificate> authorities, RetrySchedule schedule) {
    static final Setting<Boolean> ALLOW_PRIVATE = Setting.of(
            "ENGINE_WEBHOOKS_ALLOW_PRIVATE",
            "false",
            "allow webhook endpoints with http:// or private addresses, for development",
            "true or false",
            SettingParsers::yesOrNo);
    static final Setting<List<X509Certificate>> CA_FILE = Setting.of(
            "ENGINE_WEBHOOKS_CA_FILE",
            null,
            "PEM file of certificates to trust for webhook endpoints, besides the JVM's",
            "a readable file that contains only PEM certificates",
            text -> TrustedCertificates.read(Path.of(text)));
    static final Setting<RetrySchedule> RETRY_SCHEDULE = Setting.of(
            "ENGINE_WEBHOOKS_RETRY_SCHEDULE",
            "0s,5s,5m,30m,2h,5h,10h,14h,20h,24h",
            "delay before each delivery attempt, comma-separated",
            "1 to 50 delays of at most 7 days, such as 0s,5s,30m,2h",
            SettingParsers::schedule);

    static WebhookSettings read(Map<String, String> values) {
        return new WebhookSettings(
                ALLOW_PRIVATE.read(values),
                Objects.requireNonNullElse(CA_FILE.find(values), List.of()),
                RETRY_SCHEDULE.read(values));
    }
}
