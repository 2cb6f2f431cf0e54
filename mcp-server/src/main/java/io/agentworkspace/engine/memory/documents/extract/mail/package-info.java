/** Mails with their attachments: {@code MailExtractor} reads EML, {@code OutlookExtractor} reads MSG. */
@NullMarked
package io.agentworkspace.engine.memory.documents.extract.mail;

import org.jspecify.annotations.NullMarked;
