/**
 * The settings in groups, such as {@code HttpSettings}, {@code DatabaseSettings} and {@code WebhookSettings}. Each is
 * declared once, with its default and its sentence in the documents; {@code Settings} has all groups.
 */
@NullMarked
package io.agentworkspace.engine.app.settings;

import org.jspecify.annotations.NullMarked;
