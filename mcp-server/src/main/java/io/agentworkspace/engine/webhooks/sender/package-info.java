/**
 * Sends deliveries: checks the address first ({@code PublicAddress}), signs the body ({@code Signature}), and
 * grades receivers.
 */
@NullMarked
package io.agentworkspace.engine.webhooks.sender;

import org.jspecify.annotations.NullMarked;
