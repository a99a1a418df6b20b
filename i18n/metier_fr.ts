<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>AboutPage</name>
    <message>
        <source>Licences</source>
        <translation>Licences</translation>
    </message>
    <message>
        <source>Metier {version}</source>
        <translation>Metier {version}</translation>
    </message>
</context>
<context>
    <name>ActivityBinder</name>
    <message>
        <source>Activity</source>
        <translation>Activité</translation>
    </message>
    <message>
        <source>Export the activity</source>
        <translation>Exporter l’activité</translation>
    </message>
</context>
<context>
    <name>ActivityList</name>
    <message>
        <source>Activity</source>
        <translation>Activité</translation>
    </message>
</context>
<context>
    <name>ActivityPanel</name>
    <message>
        <source>Activity</source>
        <translation>Activité</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agents</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Tout</translation>
    </message>
    <message>
        <source>Export the activity…</source>
        <translation>Exporter l’activité…</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtre</translation>
    </message>
    <message>
        <source>Hide the activity</source>
        <translation>Masquer l’activité</translation>
    </message>
    <message>
        <source>No activity yet</source>
        <translation>Aucune activité</translation>
    </message>
    <message>
        <source>Nothing of this kind</source>
        <translation>Rien de ce type</translation>
    </message>
    <message>
        <source>Other activity is under All.</source>
        <translation>Le reste de l’activité est sous Tout.</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>Show the activity</source>
        <translation>Afficher l’activité</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Tâches</translation>
    </message>
    <message>
        <source>Tool calls and steps of this workflow appear here as they happen.</source>
        <translation>Les appels d’outils et les étapes de ce workflow apparaissent ici au fur et à mesure.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Écrire un message</translation>
    </message>
</context>
<context>
    <name>ActivityWords</name>
    <message>
        <source>Deleted</source>
        <translation>Supprimé</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>Issue inconnue</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Sauté</translation>
    </message>
    <message>
        <source>Skipped: the condition found {value}</source>
        <translation>Sauté&#xa0;: la condition a trouvé {value}</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Réfléchit</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>To do</source>
        <translation>À faire</translation>
    </message>
    <message>
        <source>Waiting for another task</source>
        <translation>Attend une autre tâche</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>attempt {number}</source>
        <translation>tentative {number}</translation>
    </message>
    <message>
        <source>{count} failed</source>
        <translation>{count} en échec</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} sur {total}</translation>
    </message>
    <message>
        <source>{state}: {message}</source>
        <translation>{state}&#xa0;: {message}</translation>
    </message>
</context>
<context>
    <name>AgentForm</name>
    <message>
        <source>0 to 2: low is steady, high is lively.</source>
        <translation>De 0 à 2&#xa0;: bas, elle est régulière&#x202f;; haut, elle est vive.</translation>
    </message>
    <message>
        <source>Another one can be chosen in each conversation.</source>
        <translation>Un autre peut être choisi dans chaque conversation.</translation>
    </message>
    <message>
        <source>Edit agent</source>
        <translation>Modifier l’agent</translation>
    </message>
    <message>
        <source>For models that think before they answer.</source>
        <translation>Pour les modèles qui réfléchissent avant de répondre.</translation>
    </message>
    <message>
        <source>How many answers with tool calls a turn may have.</source>
        <translation>Combien de réponses avec appels d’outils un tour peut avoir.</translation>
    </message>
    <message>
        <source>In tokens.</source>
        <translation>En jetons.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Instructions</translation>
    </message>
    <message>
        <source>It has no tool of another server, whatever is checked above.</source>
        <translation>Il n’a aucun outil d’un autre serveur, même coché plus haut.</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Réponse la plus longue</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>Serveurs MCP</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>New agent</source>
        <translation>Nouvel agent</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>Save agent</source>
        <translation>Enregistrer l’agent</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Température</translation>
    </message>
    <message>
        <source>The default model</source>
        <translation>Le modèle par défaut</translation>
    </message>
    <message>
        <source>Tool rounds</source>
        <translation>Tours d’outils</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>left to the model</source>
        <translation>au choix du modèle</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>Offline agent, no language model</source>
        <translation>Agent hors ligne, sans modèle de langage</translation>
    </message>
</context>
<context>
    <name>AgentsPage</name>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n outil</numerusform>
            <numerusform>%n outils</numerusform>
        </translation>
    </message>
    <message>
        <source>An agent is how a model is asked: with which instructions and which tools. The header of a conversation says which one answers.</source>
        <translation>Un agent est la façon d’interroger un modèle&#xa0;: avec quelles instructions et quels outils. L’en-tête d’une conversation dit lequel répond.</translation>
    </message>
    <message>
        <source>Default: {agent}</source>
        <translation>Par défaut&#xa0;: {agent}</translation>
    </message>
    <message>
        <source>MCP servers: {servers}</source>
        <translation>Serveurs MCP&#xa0;: {servers}</translation>
    </message>
    <message>
        <source>New agent</source>
        <translation>Nouvel agent</translation>
    </message>
    <message>
        <source>all tools</source>
        <translation>tous les outils</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucun</translation>
    </message>
    <message>
        <source>not there any more: {servers}</source>
        <translation>n’existe plus&#xa0;: {servers}</translation>
    </message>
    <message>
        <source>the default model</source>
        <translation>le modèle par défaut</translation>
    </message>
    <message>
        <source>{agent} is back.</source>
        <translation>{agent} est de retour.</translation>
    </message>
    <message>
        <source>{agent} is removed.</source>
        <translation>{agent} est supprimé.</translation>
    </message>
    <message numerus="yes">
        <source>{agent} is removed; %n workflow(s) go on with the default agent.</source>
        <translation>
            <numerusform>{agent} est supprimé&#x202f;; %n workflow continue avec l’agent par défaut.</numerusform>
            <numerusform>{agent} est supprimé&#x202f;; %n workflows continuent avec l’agent par défaut.</numerusform>
        </translation>
    </message>
    <message>
        <source>{agent} is saved.</source>
        <translation>{agent} est enregistré.</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>Answer failed</source>
        <translation>La réponse a échoué</translation>
    </message>
    <message>
        <source>Answer finished</source>
        <translation>Réponse terminée</translation>
    </message>
    <message>
        <source>Answer started</source>
        <translation>Réponse commencée</translation>
    </message>
    <message>
        <source>Answer stopped</source>
        <translation>Réponse arrêtée</translation>
    </message>
</context>
<context>
    <name>ApprovalScope</name>
    <message>
        <source>Approve</source>
        <translation>Approuver</translation>
    </message>
</context>
<context>
    <name>Asking</name>
    <message>
        <source>A server asks in a call of “{step}”.</source>
        <translation>Un serveur pose une question dans un appel de «&#xa0;{step}&#xa0;».</translation>
    </message>
    <message>
        <source>A spending limit is reached. Allow more?</source>
        <translation>Une limite de dépense est atteinte. Autoriser davantage&#x202f;?</translation>
    </message>
    <message>
        <source>Asks for more rounds</source>
        <translation>Demande plus de tours</translation>
    </message>
    <message>
        <source>Asks to spend more</source>
        <translation>Demande à dépenser davantage</translation>
    </message>
    <message>
        <source>Is this what “{step}” is to run with?</source>
        <translation>Est-ce bien avec cela que l’étape «&#xa0;{step}&#xa0;» doit s’exécuter&#x202f;?</translation>
    </message>
    <message>
        <source>May “{step}” run?</source>
        <translation>L’étape «&#xa0;{step}&#xa0;» peut-elle s’exécuter&#x202f;?</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>Issue inconnue</translation>
    </message>
    <message>
        <source>The server “{step}” wants to ask a model. Allow it?</source>
        <translation>Le serveur «&#xa0;{step}&#xa0;» veut interroger un modèle. L’autoriser&#x202f;?</translation>
    </message>
    <message>
        <source>This run has cost {cost}; its limit is {limit}. Allow {more} more?</source>
        <translation>Cette exécution a coûté {cost}&#x202f;; sa limite est de {limit}. Autoriser {more} de plus&#x202f;?</translation>
    </message>
    <message>
        <source>Today’s runs have cost {cost}; the limit of a day is {limit}. Allow {more} more?</source>
        <translation>Les exécutions d’aujourd’hui ont coûté {cost}&#x202f;; la limite d’une journée est de {limit}. Autoriser {more} de plus&#x202f;?</translation>
    </message>
    <message>
        <source>Waits for a review</source>
        <translation>Attend une relecture</translation>
    </message>
    <message>
        <source>Waits for an answer</source>
        <translation>Attend une réponse</translation>
    </message>
    <message>
        <source>Waits for approval</source>
        <translation>Attend une approbation</translation>
    </message>
    <message>
        <source>Waits for arguments</source>
        <translation>Attend des arguments</translation>
    </message>
    <message>
        <source>Waits for corrections</source>
        <translation>Attend des corrections</translation>
    </message>
    <message>
        <source>Waits for your result</source>
        <translation>Attend votre résultat</translation>
    </message>
    <message>
        <source>“{step}” asks for access to this. Allow it?</source>
        <translation>«&#xa0;{step}&#xa0;» demande un accès. L’autoriser&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” has a question.</source>
        <translation>L’étape «&#xa0;{step}&#xa0;» a une question.</translation>
    </message>
    <message>
        <source>“{step}” has used all its rounds of tool calls. Allow as many again?</source>
        <translation>«&#xa0;{step}&#xa0;» a utilisé tous ses tours d’appels d’outils. En autoriser autant de nouveau&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” is about to read these values. Are they right?</source>
        <translation>L’étape «&#xa0;{step}&#xa0;» va lire ces valeurs. Sont-elles justes&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” is yours to do. What came out of it?</source>
        <translation>C’est à vous de faire l’étape «&#xa0;{step}&#xa0;». Quel est le résultat&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” lacks arguments. What are they?</source>
        <translation>Il manque des arguments à l’étape «&#xa0;{step}&#xa0;». Lesquels&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” wants to call a tool. Allow it?</source>
        <translation>«&#xa0;{step}&#xa0;» veut appeler un outil. L’autoriser&#x202f;?</translation>
    </message>
    <message>
        <source>“{step}” was interrupted in the middle of a call. Nobody knows whether it happened.</source>
        <translation>L’étape «&#xa0;{step}&#xa0;» a été interrompue au milieu d’un appel. Personne ne sait s’il a eu lieu.</translation>
    </message>
</context>
<context>
    <name>AttachmentController</name>
    <message>
        <source>A message takes at most {count} files</source>
        <translation>Un message emporte au plus {count} fichiers</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Joindre des fichiers</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>The files of a message can have at most {total} in total</source>
        <translation>Les fichiers d’un message font ensemble au plus {total}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>et %n autre</numerusform>
            <numerusform>et %n autres</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” belongs to Metier itself and cannot be attached</source>
        <translation>«&#xa0;{name}&#xa0;» fait partie de Metier et ne peut pas être joint</translation>
    </message>
    <message>
        <source>“{name}” cannot be read</source>
        <translation>«&#xa0;{name}&#xa0;» ne peut pas être lu</translation>
    </message>
    <message>
        <source>“{name}” has changed since it was attached: send again to use its current content</source>
        <translation>«&#xa0;{name}&#xa0;» a changé depuis qu’il a été joint&#xa0;: envoyez de nouveau pour envoyer son contenu actuel</translation>
    </message>
    <message>
        <source>“{name}” has too many pixels to be sent</source>
        <translation>«&#xa0;{name}&#xa0;» a trop de pixels pour être envoyée</translation>
    </message>
    <message>
        <source>“{name}” is not a file</source>
        <translation>«&#xa0;{name}&#xa0;» est un dossier ou n’est pas un fichier&#xa0;: joignez des fichiers</translation>
    </message>
    <message>
        <source>“{name}” is not a picture that can be read</source>
        <translation>«&#xa0;{name}&#xa0;» n’est pas une image lisible</translation>
    </message>
    <message>
        <source>“{name}” is too large: the limit is {size} per file</source>
        <translation>«&#xa0;{name}&#xa0;» est trop grand&#xa0;: un fichier fait au plus {size}</translation>
    </message>
    <message>
        <source>“{name}” no longer exists</source>
        <translation>«&#xa0;{name}&#xa0;» n’est plus là</translation>
    </message>
</context>
<context>
    <name>Attention</name>
    <message>
        <source>Access</source>
        <translation>Accès</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Address, every method</source>
        <translation>Adresse, toutes les méthodes</translation>
    </message>
    <message>
        <source>Address, read only</source>
        <translation>Adresse, lecture seule</translation>
    </message>
    <message>
        <source>All runs of this workflow, until you take it out of its folders.</source>
        <translation>Toutes les exécutions de ce workflow, tant que ses dossiers le contiennent.</translation>
    </message>
    <message>
        <source>Allow these places</source>
        <translation>Autoriser ces emplacements</translation>
    </message>
    <message>
        <source>Allow this address</source>
        <translation>Autoriser cette adresse</translation>
    </message>
    <message>
        <source>Allow this file</source>
        <translation>Autoriser ce fichier</translation>
    </message>
    <message>
        <source>Allow this folder</source>
        <translation>Autoriser ce dossier</translation>
    </message>
    <message>
        <source>Also when they are not confined.</source>
        <translation>Même lorsqu’elles ne sont pas confinées.</translation>
    </message>
    <message>
        <source>Also with the network.</source>
        <translation>Le réseau compris.</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Toujours</translation>
    </message>
    <message>
        <source>Always allow commands that begin with “{words}”, in all workflows.</source>
        <translation>Toujours autoriser les commandes qui commencent par «&#xa0;{words}&#xa0;», dans tous les workflows.</translation>
    </message>
    <message>
        <source>Always allow exactly this command, in all workflows.</source>
        <translation>Toujours autoriser exactement cette commande, dans tous les workflows.</translation>
    </message>
    <message>
        <source>Always “{words} …”</source>
        <translation>Toujours «&#xa0;{words} …&#xa0;»</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Répondre</translation>
    </message>
    <message>
        <source>Approval</source>
        <translation>Approbation</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Approuver</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Choose and answer</source>
        <translation>Choisir et répondre</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Confined: it writes only to the allowed folders, and has no network.</source>
        <translation>Confinée&#xa0;: elle n’écrit que dans les dossiers autorisés et n’a pas de réseau.</translation>
    </message>
    <message>
        <source>Confined: it writes only to the allowed folders, and may use the network.</source>
        <translation>Confinée&#xa0;: elle n’écrit que dans les dossiers autorisés et peut utiliser le réseau.</translation>
    </message>
    <message>
        <source>Correction</source>
        <translation>Correction</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Do not allow</source>
        <translation>Ne pas autoriser</translation>
    </message>
    <message>
        <source>Every later call of “{tool}” in this run and in those that it starts.</source>
        <translation>Tout appel ultérieur de «&#xa0;{tool}&#xa0;» dans cette exécution et dans celles qu’elle lance.</translation>
    </message>
    <message>
        <source>Every later call of “{tool}”, in all workflows. The settings can take it back.</source>
        <translation>Tout appel ultérieur de «&#xa0;{tool}&#xa0;», dans tous les workflows. Les réglages permettent de revenir dessus.</translation>
    </message>
    <message>
        <source>Exactly this command, in this run and in those that it starts.</source>
        <translation>Exactement cette commande, dans cette exécution et celles qu’elle lance.</translation>
    </message>
    <message>
        <source>Exactly this request, in this run.</source>
        <translation>Exactement cette demande, dans cette exécution.</translation>
    </message>
    <message>
        <source>File, read and write</source>
        <translation>Fichier, lecture et écriture</translation>
    </message>
    <message>
        <source>File, read only</source>
        <translation>Fichier, lecture seule</translation>
    </message>
    <message>
        <source>Folder, read and write</source>
        <translation>Dossier, lecture et écriture</translation>
    </message>
    <message>
        <source>Folder, read only</source>
        <translation>Dossier, lecture seule</translation>
    </message>
    <message>
        <source>For this run</source>
        <translation>Cette exécution</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Go on with these</source>
        <translation>Continuer avec cela</translation>
    </message>
    <message>
        <source>High risk: it may not be undone</source>
        <translation>Risque élevé&#xa0;: peut être irréversible</translation>
    </message>
    <message>
        <source>In this workflow</source>
        <translation>Dans ce workflow</translation>
    </message>
    <message>
        <source>It had no effect</source>
        <translation>Rien ne s’est fait</translation>
    </message>
    <message>
        <source>Limit reached</source>
        <translation>Limite atteinte</translation>
    </message>
    <message>
        <source>Low risk: it only reads</source>
        <translation>Risque faible&#xa0;: lecture seule</translation>
    </message>
    <message>
        <source>Medium risk: it changes something</source>
        <translation>Risque moyen&#xa0;: modifie quelque chose</translation>
    </message>
    <message>
        <source>Missing arguments</source>
        <translation>Arguments manquants</translation>
    </message>
    <message>
        <source>Not confined: it reaches all that you can, Metier’s keys too.</source>
        <translation>Non confinée&#xa0;: elle atteint tout ce que vous pouvez atteindre, y compris les clés de Metier.</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Une fois</translation>
    </message>
    <message>
        <source>Only this time</source>
        <translation>Cette fois seulement</translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation>Ouvrir dans le navigateur</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>Issue inconnue</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Question</translation>
    </message>
    <message>
        <source>Question of a server</source>
        <translation>Question d’un serveur</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Relecture</translation>
    </message>
    <message>
        <source>Run it again</source>
        <translation>Relancer</translation>
    </message>
    <message>
        <source>Run with these</source>
        <translation>Exécuter avec cela</translation>
    </message>
    <message>
        <source>Run with this</source>
        <translation>Exécuter avec cela</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Passer</translation>
    </message>
    <message>
        <source>Stop here</source>
        <translation>Arrêter ici</translation>
    </message>
    <message>
        <source>The edits do not fit the file as it is now: the call will be refused.</source>
        <translation>Les modifications ne correspondent pas au fichier tel qu’il est&#xa0;: l’appel sera refusé.</translation>
    </message>
    <message>
        <source>The file cannot be read, so what changes in it cannot be shown.</source>
        <translation>Le fichier ne peut pas être lu&#xa0;: ce qui y change ne peut pas être affiché.</translation>
    </message>
    <message>
        <source>The file has changed since it was shown here. Look at the changes again.</source>
        <translation>Le fichier a changé depuis qu’il est affiché ici. Regardez à nouveau ses modifications.</translation>
    </message>
    <message>
        <source>The file has changed since the agent read it: the call will be refused.</source>
        <translation>Le fichier a changé depuis que l’agent l’a lu&#xa0;: l’appel sera refusé.</translation>
    </message>
    <message>
        <source>The file is not text, so what changes in it cannot be shown.</source>
        <translation>Le fichier n’est pas un texte&#xa0;: ce qui y change ne peut pas être affiché.</translation>
    </message>
    <message>
        <source>The file is too large for its changes to be shown line by line.</source>
        <translation>Le fichier est trop grand pour que ses modifications soient affichées ligne par ligne.</translation>
    </message>
    <message>
        <source>The host has letters that can look like others.</source>
        <translation>Le nom d’hôte a des lettres qui peuvent ressembler à d’autres.</translation>
    </message>
    <message>
        <source>The output of “{step}” was read by {readers} already: it cannot be changed now.</source>
        <translation>Le résultat de l’étape «&#xa0;{step}&#xa0;» a déjà été lu par {readers}&#xa0;: il ne peut plus être modifié.</translation>
    </message>
    <message>
        <source>The server “{server}” gets your answer, and the run keeps it. Enter no passwords or keys.</source>
        <translation>Le serveur «&#xa0;{server}&#xa0;» reçoit votre réponse, et l’exécution la garde. N’y mettez ni mot de passe ni clé.</translation>
    </message>
    <message>
        <source>The server “{server}” sends this to the model, and gets its answer.</source>
        <translation>Le serveur «&#xa0;{server}&#xa0;» envoie ceci au modèle, et reçoit sa réponse.</translation>
    </message>
    <message>
        <source>The server “{server}” wants you to go on at this address, in your browser.</source>
        <translation>Le serveur «&#xa0;{server}&#xa0;» veut que vous continuiez à cette adresse, dans votre navigateur.</translation>
    </message>
    <message>
        <source>The settings can take it back.</source>
        <translation>Les réglages permettent de revenir dessus.</translation>
    </message>
    <message>
        <source>There is no such file: the call will be refused.</source>
        <translation>Ce fichier n’existe pas&#xa0;: l’appel sera refusé.</translation>
    </message>
    <message>
        <source>This call alone.</source>
        <translation>Cet appel seulement.</translation>
    </message>
    <message>
        <source>This is the result</source>
        <translation>Voici le résultat</translation>
    </message>
    <message>
        <source>This request is closed. Nothing more was done.</source>
        <translation>Cette demande est close. Rien de plus n’a été fait.</translation>
    </message>
    <message>
        <source>This request is closed: its run has ended. Nothing more was done.</source>
        <translation>Cette demande est close&#xa0;: son exécution est terminée. Rien de plus n’a été fait.</translation>
    </message>
    <message>
        <source>This request is closed: its time was over. Nothing more was done.</source>
        <translation>Cette demande est close&#xa0;: son délai est passé. Rien de plus n’a été fait.</translation>
    </message>
    <message>
        <source>This request was answered elsewhere already. Nothing more was done.</source>
        <translation>Cette demande a déjà reçu une réponse ailleurs. Rien de plus n’a été fait.</translation>
    </message>
    <message>
        <source>This run, and those that it starts.</source>
        <translation>Cette exécution et celles qu’elle lance.</translation>
    </message>
    <message>
        <source>This tool has changed since you allowed it: {parts}.</source>
        <translation>Cet outil a changé depuis que vous l’avez autorisé&#xa0;: {parts}.</translation>
    </message>
    <message>
        <source>This tool is new: the server did not have it when you allowed it.</source>
        <translation>Cet outil est nouveau&#xa0;: le serveur ne l’avait pas quand vous l’avez autorisé.</translation>
    </message>
    <message>
        <source>This was its result</source>
        <translation>Voici son résultat</translation>
    </message>
    <message>
        <source>This was not taken: {message}</source>
        <translation>Ce n’est pas accepté&#xa0;: {message}</translation>
    </message>
    <message>
        <source>Tool approval</source>
        <translation>Appel d’outil</translation>
    </message>
    <message>
        <source>Website</source>
        <translation>Site web</translation>
    </message>
    <message>
        <source>What stands before the @ is a user name, not the host.</source>
        <translation>Ce qui précède le @ est un nom d’utilisateur, pas l’hôte.</translation>
    </message>
    <message>
        <source>With changed arguments it is approved once.</source>
        <translation>Avec d’autres arguments, l’approbation vaut une fois.</translation>
    </message>
    <message>
        <source>You allowed this tool in an older version. Allow it once more as it is now.</source>
        <translation>Vous avez autorisé cet outil dans une version antérieure. Autorisez-le encore une fois tel qu’il est.</translation>
    </message>
    <message>
        <source>Your turn</source>
        <translation>À votre tour</translation>
    </message>
    <message>
        <source>its arguments</source>
        <translation>ses arguments</translation>
    </message>
    <message>
        <source>its description</source>
        <translation>sa description</translation>
    </message>
    <message>
        <source>its name</source>
        <translation>son nom</translation>
    </message>
    <message>
        <source>its result</source>
        <translation>son résultat</translation>
    </message>
    <message>
        <source>its title</source>
        <translation>son titre</translation>
    </message>
    <message>
        <source>leads to {place}</source>
        <translation>mène à {place}</translation>
    </message>
    <message>
        <source>of the server “{server}”</source>
        <translation>du serveur «&#xa0;{server}&#xa0;»</translation>
    </message>
    <message>
        <source>the program or the address of its server</source>
        <translation>le programme ou l’adresse de son serveur</translation>
    </message>
    <message>
        <source>what it says of its effects</source>
        <translation>ce qu’il dit de ses effets</translation>
    </message>
    <message>
        <source>{part}, before:
{before}
{part}, now:
{now}</source>
        <translation>{part}, avant&#xa0;:
{before}
{part}, maintenant&#xa0;:
{now}</translation>
    </message>
    <message>
        <source>⟨secret, {number} characters⟩</source>
        <translation>⟨secret, {number} caractères⟩</translation>
    </message>
    <message>
        <source>⟨{number} blanks⟩</source>
        <translation>⟨{number} espaces⟩</translation>
    </message>
    <message>
        <source>⟨{number} line ends⟩</source>
        <translation>⟨{number} fins de ligne⟩</translation>
    </message>
    <message>
        <source>⟨… {number} characters in all …⟩</source>
        <translation>⟨… {number} caractères en tout …⟩</translation>
    </message>
</context>
<context>
    <name>AttentionCard</name>
    <message>
        <source>Look at the arguments first.</source>
        <translation>Regardez d’abord les arguments.</translation>
    </message>
</context>
<context>
    <name>AuditCard</name>
    <message>
        <source>Audit log</source>
        <translation>Journal d’audit</translation>
    </message>
    <message>
        <source>Entry</source>
        <translation>Entrée du journal</translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation>Exporter le journal d’audit</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Nothing yet: a decision about a tool call is written down here.</source>
        <translation>Rien pour l’instant&#xa0;: chaque décision sur un appel d’outil est notée ici.</translation>
    </message>
    <message>
        <source>Read the log again</source>
        <translation>Relire le journal</translation>
    </message>
    <message>
        <source>Who allowed which call, and when. Secrets in the arguments are not kept.</source>
        <translation>Qui a autorisé quel appel, et quand. Les secrets des arguments ne sont pas conservés.</translation>
    </message>
    <message numerus="yes">
        <source>Written: %n entries.</source>
        <translation>
            <numerusform>%n entrée écrite.</numerusform>
            <numerusform>%n entrées écrites.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AuditModel</name>
    <message>
        <source>Decision</source>
        <translation>Décision</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Outil</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Quand</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Workflow</translation>
    </message>
</context>
<context>
    <name>AuthoritiesCard</name>
    <message>
        <source>Certificates of your own</source>
        <translation>Vos propres certificats</translation>
    </message>
    <message>
        <source>Choose a file of certificate authorities</source>
        <translation>Choisir un fichier d’autorités de certification</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Choisir un fichier…</translation>
    </message>
    <message>
        <source>Do not use it</source>
        <translation>Ne plus l’utiliser</translation>
    </message>
    <message>
        <source>It could not be saved.</source>
        <translation>L’enregistrement a échoué.</translation>
    </message>
    <message>
        <source>It is used from now on.</source>
        <translation>Il est utilisé désormais.</translation>
    </message>
    <message>
        <source>Servers whose certificate is signed by an authority of your company are trusted with its file, beside those that this computer trusts.</source>
        <translation>Avec son fichier, les serveurs dont le certificat est signé par une autorité de votre entreprise sont acceptés, en plus de ceux que cet ordinateur accepte.</translation>
    </message>
    <message>
        <source>This file cannot be read.</source>
        <translation>Ce fichier ne peut pas être lu.</translation>
    </message>
    <message>
        <source>This file has no certificates in PEM form.</source>
        <translation>Ce fichier ne contient aucun certificat au format PEM.</translation>
    </message>
</context>
<context>
    <name>BackupRow</name>
    <message>
        <source>Restore the backup of {when}</source>
        <translation>Restaurer la sauvegarde du {when}</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Restaurer…</translation>
    </message>
    <message>
        <source>before an update</source>
        <translation>avant une mise à jour</translation>
    </message>
    <message>
        <source>daily</source>
        <translation>quotidienne</translation>
    </message>
    <message>
        <source>on request</source>
        <translation>à la demande</translation>
    </message>
    <message>
        <source>salvaged</source>
        <translation>récupérée</translation>
    </message>
</context>
<context>
    <name>BackupSection</name>
    <message numerus="yes">
        <source>%n place(s) cannot be read. The first: {first}</source>
        <translation>
            <numerusform>%n endroit ne peut pas être lu. Le premier&#x202f;: {first}</numerusform>
            <numerusform>%n endroits ne peuvent pas être lus. Le premier&#x202f;: {first}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n exécution</numerusform>
            <numerusform>%n exécutions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>All {rows} rows and {runs} runs can be read.</source>
        <translation>Tout est lisible&#x202f;: {rows} enregistrements et {runs} exécutions.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Sauvegarder maintenant</translation>
    </message>
    <message>
        <source>Back up now…</source>
        <translation>Sauvegarder maintenant…</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sauvegardes</translation>
    </message>
    <message>
        <source>Backups hold what you delete for up to 7 days more.</source>
        <translation>Les sauvegardes contiennent encore jusqu’à 7 jours ce que vous supprimez.</translation>
    </message>
    <message>
        <source>Backups of Metier</source>
        <translation>Sauvegardes de Metier</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Check the data</source>
        <translation>Vérifier les données</translation>
    </message>
    <message>
        <source>Delete from backups too…</source>
        <translation>Supprimer aussi des sauvegardes…</translation>
    </message>
    <message>
        <source>Last backup: {when}</source>
        <translation>Dernière sauvegarde&#x202f;: {when}</translation>
    </message>
    <message>
        <source>Metier backs up everything once a day while it is open, and before an update. The newest 7 are kept in the data folder. API keys in the system&apos;s keyring are not part of them.</source>
        <translation>Metier sauvegarde tout une fois par jour tant qu’il est ouvert, et avant une mise à jour. Les 7 dernières sont gardées dans le dossier des données. Les clés d’API du trousseau du système n’en font pas partie.</translation>
    </message>
    <message>
        <source>Reading all data: {share}</source>
        <translation>Lecture de toutes les données&#x202f;: {share}</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Remplacer</translation>
    </message>
    <message>
        <source>Replace all data by the backup of {when}, with {counts}? What is here now is set aside in the data folder. Runs that were at work then do not go on by themselves. Restore only files that you trust.</source>
        <translation>Remplacer toutes les données par la sauvegarde du {when}, avec {counts}&#x202f;? Les données actuelles sont mises de côté dans le dossier des données. Les exécutions alors en cours ne reprennent pas d’elles-mêmes. Ne restaurez que des fichiers de confiance.</translation>
    </message>
    <message>
        <source>Replace all kept backups by a new one, without what you have deleted?</source>
        <translation>Remplacer toutes les sauvegardes gardées par une nouvelle, sans ce que vous avez supprimé&#x202f;?</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurer</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>Restaurer une sauvegarde</translation>
    </message>
    <message>
        <source>Restore from a file…</source>
        <translation>Restaurer depuis un fichier…</translation>
    </message>
    <message>
        <source>The last daily backup failed: {reason}</source>
        <translation>La dernière sauvegarde quotidienne a échoué&#x202f;: {reason}</translation>
    </message>
    <message>
        <source>There is no backup yet.</source>
        <translation>Il n’y a pas encore de sauvegarde.</translation>
    </message>
    <message>
        <source>There is one backup now, without what you have deleted.</source>
        <translation>Il y a maintenant une seule sauvegarde, sans ce que vous avez supprimé.</translation>
    </message>
    <message>
        <source>Written and read back: {file}</source>
        <translation>Écrite et relue&#x202f;: {file}</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Information</source>
        <translation>Information</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Avertissement</translation>
    </message>
</context>
<context>
    <name>BlockActions</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>Copier le lien</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Tout sélectionner</translation>
    </message>
</context>
<context>
    <name>Body</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Détails</translation>
    </message>
    <message>
        <source>Go to workflow</source>
        <translation>Aller au workflow</translation>
    </message>
    <message>
        <source>Less</source>
        <translation>Réduire</translation>
    </message>
</context>
<context>
    <name>BoundaryView</name>
    <message>
        <source>Older messages are no longer sent</source>
        <translation>Les messages plus anciens ne sont plus envoyés</translation>
    </message>
    <message>
        <source>Older messages are no longer sent: this summary replaces them</source>
        <translation>Les messages plus anciens ne sont plus envoyés&#xa0;: ce résumé les remplace</translation>
    </message>
</context>
<context>
    <name>CallLine</name>
    <message>
        <source>(empty)</source>
        <translation>(vide)</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
</context>
<context>
    <name>CallValue</name>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>It ends with: {text}</source>
        <translation>Fin du texte&#xa0;: {text}</translation>
    </message>
    <message>
        <source>Next part</source>
        <translation>Partie suivante</translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation>Partie précédente</translation>
    </message>
    <message>
        <source>{size} characters, part {part} of {parts}</source>
        <translation>{size} caractères, partie {part} sur {parts}</translation>
    </message>
</context>
<context>
    <name>CallValues</name>
    <message>
        <source>Fold the secrets</source>
        <translation>Masquer les secrets</translation>
    </message>
    <message>
        <source>No arguments</source>
        <translation>Aucun argument</translation>
    </message>
    <message>
        <source>Raw</source>
        <translation>Brut</translation>
    </message>
    <message>
        <source>Readable</source>
        <translation>Lisible</translation>
    </message>
    <message>
        <source>Reading the arguments…</source>
        <translation>Lecture des arguments…</translation>
    </message>
    <message numerus="yes">
        <source>Show %n secret(s)</source>
        <translation>
            <numerusform>Afficher %n secret</numerusform>
            <numerusform>Afficher %n secrets</numerusform>
        </translation>
    </message>
    <message>
        <source>The arguments as JSON, as they are sent</source>
        <translation>Les arguments en JSON, tels qu’ils sont envoyés</translation>
    </message>
    <message>
        <source>The secrets of this call were not kept. It cannot run where it has {mask}.</source>
        <translation>Les secrets de cet appel n’ont pas été conservés. Il ne peut pas être exécuté là où il contient {mask}.</translation>
    </message>
</context>
<context>
    <name>CaptionView</name>
    <message numerus="yes">
        <source>%n earlier calls</source>
        <translation>
            <numerusform>%n appel antérieur</numerusform>
            <numerusform>%n appels antérieurs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more rows; copying includes them</source>
        <translation>
            <numerusform>%n ligne de plus&#x202f;; la copie les prend toutes</numerusform>
            <numerusform>%n lignes de plus&#x202f;; la copie les prend toutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps were not run</source>
        <translation>
            <numerusform>%n étape n’a pas été exécutée</numerusform>
            <numerusform>%n étapes n’ont pas été exécutées</numerusform>
        </translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Réponse</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copié</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>Copier le code</translation>
    </message>
    <message>
        <source>Nothing to show yet</source>
        <translation>Rien à montrer pour l’instant</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Sortie</translation>
    </message>
    <message>
        <source>Result: {result}</source>
        <translation>Résultat&#xa0;: {result}</translation>
    </message>
    <message>
        <source>Skipped: the condition found {value}</source>
        <translation>Sauté, car la condition a trouvé {value}</translation>
    </message>
    <message numerus="yes">
        <source>Table, %n rows</source>
        <translation>
            <numerusform>Tableau, %n ligne</numerusform>
            <numerusform>Tableau, %n lignes</numerusform>
        </translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tâche</translation>
    </message>
</context>
<context>
    <name>CardFooter</name>
    <message>
        <source>Approve all {count}</source>
        <translation>Tout approuver ({count})</translation>
    </message>
    <message>
        <source>Back to the message, it stays open</source>
        <translation>Retour au message, la demande reste ouverte</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Plus tard</translation>
    </message>
    <message>
        <source>Look at each call first: {seen} of {count} seen</source>
        <translation>Regardez d’abord chaque appel&#xa0;: {seen} vus sur {count}</translation>
    </message>
    <message>
        <source>Reason (optional)</source>
        <translation>Motif (facultatif)</translation>
    </message>
    <message>
        <source>Reason for a rejection (optional)</source>
        <translation>Motif d’un refus (facultatif)</translation>
    </message>
    <message>
        <source>The calls of this run that wait, each once</source>
        <translation>Les appels en attente de cette exécution, chacun une fois</translation>
    </message>
</context>
<context>
    <name>CardHeader</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>Demande suivante</translation>
    </message>
    <message>
        <source>Previous request</source>
        <translation>Demande précédente</translation>
    </message>
    <message numerus="yes">
        <source>Said %n times</source>
        <translation>
            <numerusform>Dit %n fois</numerusform>
            <numerusform>Dit %n fois</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Afficher</translation>
    </message>
    <message>
        <source>Show in the whole pane</source>
        <translation>Afficher en grand</translation>
    </message>
    <message>
        <source>Smaller again</source>
        <translation>Réduire</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} sur {count}</translation>
    </message>
</context>
<context>
    <name>ChangeView</name>
    <message>
        <source>Changes</source>
        <translation>Modifications</translation>
    </message>
    <message>
        <source>Compared with the file of this name on this computer; the server may do something else.</source>
        <translation>Comparé au fichier de ce nom sur cet ordinateur&#x202f;; le serveur peut faire autre chose.</translation>
    </message>
    <message>
        <source>New file</source>
        <translation>Nouveau fichier</translation>
    </message>
    <message>
        <source>The file stays as it is.</source>
        <translation>Le fichier reste tel quel.</translation>
    </message>
</context>
<context>
    <name>ChangesView</name>
    <message numerus="yes">
        <source>%n files changed</source>
        <translation>
            <numerusform>%n fichier modifié</numerusform>
            <numerusform>%n fichiers modifiés</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatWords</name>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>Issue inconnue</translation>
    </message>
    <message>
        <source>Paused: the storage cannot be written</source>
        <translation>En pause&#xa0;: le stockage n’est pas accessible en écriture</translation>
    </message>
    <message>
        <source>Pending</source>
        <translation>À venir</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>En file d’attente</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>Nouvel essai</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Sauté</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>L’exécution a échoué</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>Trying again: {0}</source>
        <translation>Nouvel essai&#xa0;: {0}</translation>
    </message>
    <message>
        <source>Waiting for another workflow to finish</source>
        <translation>Attend la fin d’un autre workflow</translation>
    </message>
    <message>
        <source>Waiting for the model’s answer</source>
        <translation>En attente de la réponse du modèle</translation>
    </message>
    <message>
        <source>Waiting for the server: {0}</source>
        <translation>En attente du serveur&#xa0;: {0}</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
</context>
<context>
    <name>ChoiceField</name>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Non</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Oui</translation>
    </message>
</context>
<context>
    <name>ChoicesField</name>
    <message>
        <source>Choose at least {number}.</source>
        <translation>Choisissez-en au moins {number}.</translation>
    </message>
    <message>
        <source>Choose at most {number}.</source>
        <translation>Choisissez-en au plus {number}.</translation>
    </message>
</context>
<context>
    <name>ClosedNote</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Accept the suggestion</source>
        <translation>Accepter le nom proposé</translation>
    </message>
    <message>
        <source>Answer the request</source>
        <translation>Répondre à la demande affichée</translation>
    </message>
    <message>
        <source>Archive workflow</source>
        <translation>Archiver le workflow</translation>
    </message>
    <message>
        <source>Archived workflows</source>
        <translation>Workflows archivés</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>Joindre des fichiers…</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>En arrière</translation>
    </message>
    <message>
        <source>Choose agent and model</source>
        <translation>Choisir l’agent et le modèle</translation>
    </message>
    <message>
        <source>Choose option {number}</source>
        <translation>Choisir l’option {number}</translation>
    </message>
    <message>
        <source>Choose the folder</source>
        <translation>Choisir le dossier</translation>
    </message>
    <message>
        <source>Choose the validation mode</source>
        <translation>Choisir le mode de validation</translation>
    </message>
    <message>
        <source>Close the notification</source>
        <translation>Fermer la notification</translation>
    </message>
    <message>
        <source>Close the suggestions</source>
        <translation>Fermer la liste des noms</translation>
    </message>
    <message>
        <source>Close this view</source>
        <translation>Fermer cette vue</translation>
    </message>
    <message>
        <source>Confirm</source>
        <translation>Confirmer</translation>
    </message>
    <message>
        <source>Continue from a summary</source>
        <translation>Continuer à partir d’un résumé</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>Copier la dernière réponse</translation>
    </message>
    <message>
        <source>Copy the last code</source>
        <translation>Copier le dernier code</translation>
    </message>
    <message>
        <source>Delete workflow…</source>
        <translation>Supprimer le workflow…</translation>
    </message>
    <message>
        <source>Edit the last message, if the draft is empty</source>
        <translation>Modifier le dernier message, si rien n’est écrit</translation>
    </message>
    <message>
        <source>Export the activity…</source>
        <translation>Exporter l’activité…</translation>
    </message>
    <message>
        <source>Export workflow…</source>
        <translation>Exporter le workflow…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>Rechercher une commande</translation>
    </message>
    <message>
        <source>Find in this workflow</source>
        <translation>Rechercher dans ce workflow</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>Occurrence suivante</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>Occurrence précédente</translation>
    </message>
    <message>
        <source>Fold the focused item</source>
        <translation>Replier ce qui a le focus</translation>
    </message>
    <message>
        <source>Fold the section</source>
        <translation>Replier la section</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>En avant</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Plein écran</translation>
    </message>
    <message>
        <source>Go to anything</source>
        <translation>Aller à…</translation>
    </message>
    <message>
        <source>Go to workflow {number}</source>
        <translation>Aller au workflow {number}</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importer…</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Boîte de réception</translation>
    </message>
    <message>
        <source>Jump to the latest</source>
        <translation>Aller au plus récent</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Agrandir</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Plus tard</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menu</translation>
    </message>
    <message>
        <source>Menu bar</source>
        <translation>Barre de menus</translation>
    </message>
    <message>
        <source>New from template…</source>
        <translation>Nouveau depuis un gabarit…</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Aller à la ligne</translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation>Nouveau workflow</translation>
    </message>
    <message>
        <source>Next message</source>
        <translation>Message suivant</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>Panneau suivant</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>Demande suivante</translation>
    </message>
    <message>
        <source>Next workflow</source>
        <translation>Workflow suivant</translation>
    </message>
    <message>
        <source>Next workflow that needs you</source>
        <translation>Prochain workflow qui vous attend</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Option above</source>
        <translation>Option au-dessus</translation>
    </message>
    <message>
        <source>Option below</source>
        <translation>Option au-dessous</translation>
    </message>
    <message>
        <source>Paste as plain text</source>
        <translation>Coller comme texte brut</translation>
    </message>
    <message>
        <source>Preview, or go back</source>
        <translation>Jeter un œil, ou revenir</translation>
    </message>
    <message>
        <source>Previous message</source>
        <translation>Message précédent</translation>
    </message>
    <message>
        <source>Previous pane</source>
        <translation>Panneau précédent</translation>
    </message>
    <message>
        <source>Previous request</source>
        <translation>Demande précédente</translation>
    </message>
    <message>
        <source>Previous workflow</source>
        <translation>Workflow précédent</translation>
    </message>
    <message>
        <source>Previous workflow that needs you</source>
        <translation>Workflow précédent qui vous attend</translation>
    </message>
    <message>
        <source>Previously viewed workflow</source>
        <translation>Workflow vu précédemment</translation>
    </message>
    <message>
        <source>Previously viewed workflow, in reverse</source>
        <translation>Workflow vu précédemment, en sens inverse</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Record, or review the recording</source>
        <translation>Commencer l’enregistrement des étapes, ou le revoir</translation>
    </message>
    <message>
        <source>Reject or skip</source>
        <translation>Refuser ou passer</translation>
    </message>
    <message>
        <source>Remove the demo</source>
        <translation>Retirer la démo</translation>
    </message>
    <message>
        <source>Rename workflow</source>
        <translation>Renommer le workflow</translation>
    </message>
    <message>
        <source>Restore from the archive</source>
        <translation>Restaurer depuis les archives</translation>
    </message>
    <message>
        <source>Retry what failed</source>
        <translation>Réessayer ce qui a échoué</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Exécuter à nouveau</translation>
    </message>
    <message>
        <source>Run the notification’s action</source>
        <translation>Faire ce que la notification propose</translation>
    </message>
    <message>
        <source>Search in all workflows</source>
        <translation>Rechercher dans tous les workflows</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message>
        <source>Send now and stop the current turn</source>
        <translation>Envoyer maintenant, en arrêtant le tour en cours</translation>
    </message>
    <message>
        <source>Send, whatever key the settings name</source>
        <translation>Envoyer, quelle que soit la touche réglée</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Show or hide the activity</source>
        <translation>Afficher ou masquer l’activité</translation>
    </message>
    <message>
        <source>Show or hide the workflows</source>
        <translation>Afficher ou masquer les workflows</translation>
    </message>
    <message>
        <source>Show the request in the whole pane, or smaller</source>
        <translation>Afficher la demande en grand, ou la réduire</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Réduire</translation>
    </message>
    <message>
        <source>Start the demo</source>
        <translation>Lancer la démo</translation>
    </message>
    <message>
        <source>Stop the shown run</source>
        <translation>Arrêter l’exécution affichée</translation>
    </message>
    <message>
        <source>Submit the answer</source>
        <translation>Envoyer ce qui est écrit</translation>
    </message>
    <message>
        <source>Toggle or press the focused control</source>
        <translation>Cocher ou actionner ce qui a le focus</translation>
    </message>
    <message>
        <source>Undo archiving or deleting</source>
        <translation>Annuler l’archivage ou la suppression</translation>
    </message>
    <message>
        <source>Unfold the focused item</source>
        <translation>Déplier ce qui a le focus</translation>
    </message>
    <message>
        <source>Unfold the section</source>
        <translation>Déplier la section</translation>
    </message>
    <message>
        <source>Usual size</source>
        <translation>Taille normale</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Écrire un message</translation>
    </message>
</context>
<context>
    <name>CompletionPopup</name>
    <message>
        <source>Suggestions</source>
        <translation>Ce qui peut être nommé ici</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>A message can have at most {limit} characters</source>
        <translation>Un message compte au plus {limit} caractères</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Joindre des fichiers</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
    <message>
        <source>Message {workflow}</source>
        <translation>Message à {workflow}</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Texte collé</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Mettre en file</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>{keys} to queue</source>
        <translation>{keys} pour mettre en file</translation>
    </message>
    <message>
        <source>{keys} to send</source>
        <translation>{keys} pour envoyer</translation>
    </message>
    <message>
        <source>{keys} to send now</source>
        <translation>{keys} pour envoyer maintenant</translation>
    </message>
</context>
<context>
    <name>ConfigurationImport</name>
    <message>
        <source>As another app or the documentation has it: JSON, TOML or YAML, a command line, an address, or a link that installs it. It is read and shown; nothing is started.</source>
        <translation>Telle que l’a une autre application ou la documentation&#xa0;: JSON, TOML ou YAML, une ligne de commande, une adresse ou un lien d’installation. Elle est lue et montrée&#x202f;; rien n’est lancé.</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>Configuration</translation>
    </message>
    <message>
        <source>Paste a configuration</source>
        <translation>Coller une configuration</translation>
    </message>
    <message>
        <source>Read it</source>
        <translation>Lire</translation>
    </message>
    <message>
        <source>This is too long to be a configuration: it was not pasted.</source>
        <translation>C’est trop long pour une configuration&#xa0;: rien n’a été collé.</translation>
    </message>
</context>
<context>
    <name>ConsentWords</name>
    <message>
        <source>All tools of the server “{server}”</source>
        <translation>Tous les outils du serveur «&#xa0;{server}&#xa0;»</translation>
    </message>
    <message>
        <source>Always asked about</source>
        <translation>Toujours demandé</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>Approuvé</translation>
    </message>
    <message>
        <source>Approved always</source>
        <translation>Approuvé pour toujours</translation>
    </message>
    <message>
        <source>Approved for the run</source>
        <translation>Approuvé pour l’exécution</translation>
    </message>
    <message>
        <source>Approved with changes</source>
        <translation>Approuvé avec changements</translation>
    </message>
    <message>
        <source>Approved, time was over</source>
        <translation>Approuvé, délai écoulé</translation>
    </message>
    <message>
        <source>Asked about again: it has changed since</source>
        <translation>Demandé de nouveau&#xa0;: il a changé depuis</translation>
    </message>
    <message>
        <source>Asked about once more: allowed by an older version</source>
        <translation>Demandé encore une fois&#xa0;: autorisé par une version antérieure</translation>
    </message>
    <message>
        <source>Command “{line}”</source>
        <translation>Commande «&#xa0;{line}&#xa0;»</translation>
    </message>
    <message>
        <source>Commands that begin with “{words}”</source>
        <translation>Commandes qui commencent par «&#xa0;{words}&#xa0;»</translation>
    </message>
    <message>
        <source>Covered by an exception</source>
        <translation>Couvert par une exception</translation>
    </message>
    <message>
        <source>Covered by the run’s approval</source>
        <translation>Couvert par l’accord de l’exécution</translation>
    </message>
    <message>
        <source>Never asked about</source>
        <translation>Jamais demandé</translation>
    </message>
    <message>
        <source>Never asked about, as long as it stays as it is</source>
        <translation>Jamais demandé tant qu’il reste tel quel</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Refusé</translation>
    </message>
    <message>
        <source>Rejected, time was over</source>
        <translation>Refusé, délai écoulé</translation>
    </message>
    <message>
        <source>Taken back, the run ended</source>
        <translation>Retiré, l’exécution a pris fin</translation>
    </message>
    <message>
        <source>The database did not answer, so everything stays as it was.</source>
        <translation>La base de données n’a pas répondu, tout reste donc comme avant.</translation>
    </message>
    <message>
        <source>The file could not be written.</source>
        <translation>Le fichier n’a pas pu être écrit.</translation>
    </message>
    <message>
        <source>Time was over, asked again</source>
        <translation>Délai écoulé, redemandé</translation>
    </message>
</context>
<context>
    <name>CutOffView</name>
    <message>
        <source>A different agent answered than the step names</source>
        <translation>Un autre agent a répondu que celui que nomme l’étape</translation>
    </message>
    <message>
        <source>An MCP server that this agent is limited to no longer exists</source>
        <translation>Un serveur MCP auquel cet agent est limité n’existe plus</translation>
    </message>
    <message>
        <source>Cut off by the provider’s filter</source>
        <translation>Coupé par le filtre du fournisseur</translation>
    </message>
    <message>
        <source>Cut off: the answer reached the model’s output limit</source>
        <translation>Coupé&#xa0;: la réponse a atteint le maximum que le modèle peut dire</translation>
    </message>
    <message>
        <source>Interrupted: this text was cut off</source>
        <translation>Interrompu&#xa0;: ce texte a été coupé</translation>
    </message>
    <message>
        <source>Parts of this answer could not be read, and may be missing</source>
        <translation>Des parties de cette réponse n’ont pas pu être lues et manquent peut-être</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>The model returned an empty answer</source>
        <translation>Le modèle a répondu sans un mot</translation>
    </message>
    <message>
        <source>This model takes no pictures or PDFs, so it was asked without them</source>
        <translation>Ce modèle n’accepte ni images ni PDF&#xa0;: la demande a été faite sans eux</translation>
    </message>
    <message>
        <source>This model takes no reasoning effort, so it was asked without one</source>
        <translation>Ce modèle n’accepte pas d’effort de raisonnement&#xa0;: la demande a été faite sans lui</translation>
    </message>
    <message>
        <source>This model takes no temperature, so it was asked without one</source>
        <translation>Ce modèle n’accepte pas de température&#xa0;: la demande a été faite sans elle</translation>
    </message>
    <message>
        <source>This model takes no tools, so it was asked without them</source>
        <translation>Ce modèle n’accepte pas d’outils&#xa0;: la demande a été faite sans eux</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>{0} of {1} tools were sent, as the provider takes no more. Left out: {2}</source>
        <translation>{0} outils sur {1} ont été envoyés, car le fournisseur n’en accepte pas plus. Non envoyés&#xa0;: {2}</translation>
    </message>
</context>
<context>
    <name>DetailPane</name>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Modifications</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Console</source>
        <translation>Console</translation>
    </message>
    <message>
        <source>Console, cut at 64 KB</source>
        <translation>Console, coupée à 64&#xa0;ko</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Erreurs</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Sortie</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Réflexion</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Résultat</translation>
    </message>
    <message>
        <source>by {name}</source>
        <translation>par {name}</translation>
    </message>
    <message>
        <source>in {name}</source>
        <translation>dans {name}</translation>
    </message>
    <message>
        <source>step {name}</source>
        <translation>étape {name}</translation>
    </message>
    <message>
        <source>{input} tokens in ({cached} from the cache), {output} out</source>
        <translation>{input} jetons en entrée (dont {cached} du cache), {output} en sortie</translation>
    </message>
    <message>
        <source>{input} tokens in, {output} out</source>
        <translation>{input} jetons en entrée, {output} en sortie</translation>
    </message>
</context>
<context>
    <name>DiffSection</name>
    <message>
        <source>Copy: {title}</source>
        <translation>Copier&#xa0;: {title}</translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message numerus="yes">
        <source>%n unchanged line(s)</source>
        <translation>
            <numerusform>%n ligne inchangée</numerusform>
            <numerusform>%n lignes inchangées</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DoubtPage</name>
    <message>
        <source>As on the first day.</source>
        <translation>Comme au premier jour.</translation>
    </message>
    <message>
        <source>At work: {rows} records…</source>
        <translation>En cours&#xa0;: {rows} enregistrements…</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Copier les détails</translation>
    </message>
    <message>
        <source>Data: {folder}</source>
        <translation>Données&#xa0;: {folder}</translation>
    </message>
    <message>
        <source>Done: {runs} runs are there.</source>
        <translation>Terminé&#xa0;: {runs} exécutions sont là.</translation>
    </message>
    <message>
        <source>Files of the data are missing or damaged.</source>
        <translation>Des fichiers des données manquent ou sont endommagés.</translation>
    </message>
    <message>
        <source>Files of the data are not as Metier left them.</source>
        <translation>Des fichiers des données ne sont plus tels que Metier les a laissés.</translation>
    </message>
    <message>
        <source>Go on with this data</source>
        <translation>Continuer avec ces données</translation>
    </message>
    <message>
        <source>It is copied to new data, and you see what is missing.</source>
        <translation>C’est copié dans de nouvelles données, et vous voyez ce qui manque.</translation>
    </message>
    <message>
        <source>It is opened as it is. What is missing stays missing.</source>
        <translation>Elles sont ouvertes telles quelles. Ce qui manque reste manquant.</translation>
    </message>
    <message>
        <source>Metier has not seen this data in this folder before.</source>
        <translation>Metier n’a encore jamais vu ces données dans ce dossier.</translation>
    </message>
    <message>
        <source>Nothing was changed. Choose how to go on.</source>
        <translation>Rien n’a été modifié. Choisissez comment continuer.</translation>
    </message>
    <message>
        <source>Open Metier</source>
        <translation>Ouvrir Metier</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Restore the newest backup</source>
        <translation>Restaurer la dernière sauvegarde</translation>
    </message>
    <message>
        <source>Save what can be read</source>
        <translation>Récupérer ce qui est lisible</translation>
    </message>
    <message>
        <source>Something is wrong with the data.</source>
        <translation>Il y a un problème avec les données.</translation>
    </message>
    <message>
        <source>Something is wrong with your data</source>
        <translation>Il y a un problème avec vos données</translation>
    </message>
    <message>
        <source>Start with empty data</source>
        <translation>Commencer avec des données vides</translation>
    </message>
    <message>
        <source>The data cannot be opened any more.</source>
        <translation>Les données ne s’ouvrent plus.</translation>
    </message>
    <message>
        <source>The data is missing, but it was there when Metier was closed.</source>
        <translation>Les données manquent, alors qu’elles étaient là à la fermeture de Metier.</translation>
    </message>
    <message>
        <source>The data is newer than what Metier saw last in this folder.</source>
        <translation>Les données sont plus récentes que celles que Metier a vues en dernier dans ce dossier.</translation>
    </message>
    <message>
        <source>The data is older than what Metier saw last in this folder.</source>
        <translation>Les données sont plus anciennes que celles que Metier a vues en dernier dans ce dossier.</translation>
    </message>
    <message>
        <source>The data of before is in {folder}.</source>
        <translation>Les données d’avant sont dans {folder}.</translation>
    </message>
    <message>
        <source>The data was written by a newer version of Metier.</source>
        <translation>Les données viennent d’une version plus récente de Metier.</translation>
    </message>
    <message>
        <source>The file by which Metier checks the data is damaged.</source>
        <translation>Le fichier qui sert à Metier à vérifier les données est endommagé.</translation>
    </message>
    <message>
        <source>The last changes before Metier ended are missing.</source>
        <translation>Les dernières modifications avant l’arrêt de Metier manquent.</translation>
    </message>
    <message>
        <source>The present data is set aside, not deleted.</source>
        <translation>Les données actuelles sont mises de côté, pas supprimées.</translation>
    </message>
    <message>
        <source>What could not be read:</source>
        <translation>Ce qui n’a pas pu être lu&#xa0;:</translation>
    </message>
    <message>
        <source>Your data can be opened again</source>
        <translation>Vos données peuvent de nouveau être ouvertes</translation>
    </message>
    <message>
        <source>{found} of {seen} runs are there.</source>
        <translation>Il y a {found} exécutions sur {seen}.</translation>
    </message>
    <message>
        <source>{runs} runs, made {when}. Later changes are not in it.</source>
        <translation>{runs} exécutions, faite le {when}. Les modifications ultérieures n’y sont pas.</translation>
    </message>
</context>
<context>
    <name>EditForm</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>{count} of {most} characters</source>
        <translation>{count} caractères sur {most}</translation>
    </message>
</context>
<context>
    <name>EmptyConversation</name>
    <message>
        <source>Type a message below: / for a template or a prompt, @ for an agent, a model, a file or a resource of an MCP server.</source>
        <translation>Écrivez-le ci-dessous. / nomme un gabarit ou un prompt, @ un agent, un modèle, un fichier ou une ressource d’un serveur MCP.</translation>
    </message>
    <message>
        <source>What would you like to do?</source>
        <translation>Que faut-il faire&#x202f;?</translation>
    </message>
</context>
<context>
    <name>ExceptionRow</name>
    <message>
        <source>Remove the exception for {name}</source>
        <translation>Retirer l’exception pour {name}</translation>
    </message>
</context>
<context>
    <name>ExceptionsCard</name>
    <message>
        <source>Allow</source>
        <translation>Autoriser</translation>
    </message>
    <message>
        <source>An exception wins over its category. What you approve always is put here; remove it to be asked again.</source>
        <translation>Une exception l’emporte sur sa catégorie. Ce que vous approuvez pour toujours est noté ici&#x202f;; retirez-le pour être de nouveau consulté.</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Demander</translation>
    </message>
    <message>
        <source>Exceptions</source>
        <translation>Exceptions</translation>
    </message>
    <message>
        <source>Tool or server</source>
        <translation>Outil ou serveur</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message numerus="yes">
        <source>%n workflows</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>All</source>
        <translation>Tous</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Keys, and values of the environment and the headers of servers, are never exported.</source>
        <translation>Les clés, et les valeurs d’environnement et d’en-têtes des serveurs, ne sont jamais exportées.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Aucun</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
</context>
<context>
    <name>ExportProgress</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Exporting: {done} of {total}</source>
        <translation>Exportation&#xa0;: {done} sur {total}</translation>
    </message>
</context>
<context>
    <name>FailurePage</name>
    <message>
        <source>Copy details</source>
        <translation>Copier les détails</translation>
    </message>
    <message>
        <source>Data folder: {folder}</source>
        <translation>Dossier de données&#xa0;: {folder}</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Your data cannot be opened</source>
        <translation>Vos données ne peuvent pas être ouvertes</translation>
    </message>
</context>
<context>
    <name>FailureView</name>
    <message>
        <source>Copy details</source>
        <translation>Copier les détails</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>Modifier le message</translation>
    </message>
    <message>
        <source>Step {step}</source>
        <translation>Étape {step}</translation>
    </message>
    <message>
        <source>Step {step}, tool {tool}</source>
        <translation>Étape {step}, outil {tool}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
</context>
<context>
    <name>Failures</name>
    <message>
        <source>A file was changed by someone else meanwhile</source>
        <translation>Un fichier a été modifié entre-temps par quelqu’un d’autre</translation>
    </message>
    <message>
        <source>A file, folder or address is not allowed here</source>
        <translation>Un fichier, un dossier ou une adresse n’est pas autorisé ici</translation>
    </message>
    <message>
        <source>A part of it cannot be read any more. The rest is safe, and other workflows go on.</source>
        <translation>Une partie n’est plus lisible. Le reste est en sûreté, et les autres workflows continuent.</translation>
    </message>
    <message>
        <source>A result was too large</source>
        <translation>Un résultat était trop volumineux</translation>
    </message>
    <message>
        <source>A run that it started failed</source>
        <translation>Une exécution qu’elle avait lancée a échoué</translation>
    </message>
    <message>
        <source>A step did not end in time</source>
        <translation>Une étape ne s’est pas terminée à temps</translation>
    </message>
    <message>
        <source>A step got a value that it cannot use</source>
        <translation>Une étape a reçu une valeur inutilisable</translation>
    </message>
    <message>
        <source>A tool did not end in time</source>
        <translation>Un outil ne s’est pas terminé à temps</translation>
    </message>
    <message>
        <source>A tool failed</source>
        <translation>Un outil a échoué</translation>
    </message>
    <message>
        <source>A tool that it needs is missing</source>
        <translation>Un outil nécessaire est absent</translation>
    </message>
    <message>
        <source>Allow it for this workflow, then try again.</source>
        <translation>Autorisez-le pour ce workflow, puis réessayez.</translation>
    </message>
    <message>
        <source>Ask for it in another way, or approve it the next time.</source>
        <translation>Demandez-le autrement, ou approuvez-le la prochaine fois.</translation>
    </message>
    <message>
        <source>Ask for less at once, or let its agent give longer answers. Then try again.</source>
        <translation>Demandez moins à la fois, ou permettez à son agent des réponses plus longues. Puis réessayez.</translation>
    </message>
    <message>
        <source>Ask for less at once, then try again.</source>
        <translation>Demandez moins à la fois, puis réessayez.</translation>
    </message>
    <message>
        <source>At Settings, Limits, it can be made to ask for more rounds. Then try again.</source>
        <translation>Dans Réglages, Limites, il peut demander plus de tours. Réessayez ensuite.</translation>
    </message>
    <message>
        <source>At Settings, Limits, you can raise it. Then try again.</source>
        <translation>Dans Réglages, Limites, vous pouvez la relever. Réessayez ensuite.</translation>
    </message>
    <message>
        <source>Choose another model, or see to the address at Settings, Models.</source>
        <translation>Choisissez un autre modèle, ou vérifiez l’adresse dans Réglages, Modèles.</translation>
    </message>
    <message>
        <source>Choose another model: the server does not know this one.</source>
        <translation>Choisissez un autre modèle&#xa0;: le serveur ne connaît pas celui-ci.</translation>
    </message>
    <message>
        <source>Continue from a summary, or choose a model with a larger context window.</source>
        <translation>Continuez à partir d’un résumé, ou choisissez un modèle dont la fenêtre de contexte est plus grande.</translation>
    </message>
    <message>
        <source>Edit the message, or choose another model.</source>
        <translation>Modifiez le message, ou choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>Give it less to do, or raise the time limit in its template.</source>
        <translation>Donnez-lui moins à faire ou augmentez la durée limite dans son gabarit.</translation>
    </message>
    <message>
        <source>It can be tried again from {time}.</source>
        <translation>Vous pourrez réessayer à partir de {time}.</translation>
    </message>
    <message>
        <source>It could not be done. The log has the details.</source>
        <translation>Cela n’a pas pu être fait. Les détails sont dans le journal.</translation>
    </message>
    <message>
        <source>It could not be written down</source>
        <translation>L’enregistrement a échoué</translation>
    </message>
    <message>
        <source>It had not ended when it was exported</source>
        <translation>Elle n’était pas terminée lors de l’export</translation>
    </message>
    <message>
        <source>It is not there any more.</source>
        <translation>Il n’est plus là.</translation>
    </message>
    <message>
        <source>It is still at work. Stop it first, or wait for its end.</source>
        <translation>Le travail est encore en cours. Arrêtez-le d’abord, ou attendez sa fin.</translation>
    </message>
    <message>
        <source>It reached its spending limit</source>
        <translation>La limite de dépense est atteinte</translation>
    </message>
    <message>
        <source>It took longer than its template allows</source>
        <translation>Cela a duré plus longtemps que son gabarit ne le permet</translation>
    </message>
    <message>
        <source>It was at work when the backup was made that is restored now. What it did afterwards is not known: look, then continue it.</source>
        <translation>Elle était en cours quand la sauvegarde restaurée a été faite. Ce qu’elle a fait ensuite n’est pas connu&#x202f;: vérifiez, puis reprenez-la.</translation>
    </message>
    <message>
        <source>It was not allowed to go on</source>
        <translation>La suite n’a pas été autorisée</translation>
    </message>
    <message>
        <source>It was sent meanwhile.</source>
        <translation>Il a été envoyé entre-temps.</translation>
    </message>
    <message>
        <source>Look at the file, then try again: nothing of it was overwritten.</source>
        <translation>Regardez le fichier, puis réessayez&#xa0;: rien n’y a été écrasé.</translation>
    </message>
    <message>
        <source>Look whether it happened before you try again.</source>
        <translation>Vérifiez si cela s’est produit avant de réessayer.</translation>
    </message>
    <message>
        <source>Metier ended several times while this was at work</source>
        <translation>Metier s’est arrêté plusieurs fois pendant ce travail</translation>
    </message>
    <message>
        <source>Metier is open already with this data folder. Close the other window first.</source>
        <translation>Metier est déjà ouvert sur ce dossier de données. Fermez d’abord l’autre fenêtre.</translation>
    </message>
    <message>
        <source>No copy of the file is kept any more. It was left as it is.</source>
        <translation>Aucune copie du fichier n’est plus conservée. Il a été laissé tel quel.</translation>
    </message>
    <message>
        <source>Nobody knows whether the last action happened</source>
        <translation>Nul ne sait si la dernière action a eu lieu</translation>
    </message>
    <message>
        <source>Nothing answers at {origin}</source>
        <translation>Rien ne répond à {origin}</translation>
    </message>
    <message>
        <source>Nothing else was touched. Try again; if it ends again, the code needs too much.</source>
        <translation>Rien d’autre n’a été touché. Réessayez&#x202f;; s’il s’arrête encore, le code demande trop.</translation>
    </message>
    <message>
        <source>Nothing happened for too long</source>
        <translation>Rien ne s’est passé pendant trop longtemps</translation>
    </message>
    <message>
        <source>Nothing waits for an answer there any more.</source>
        <translation>Plus rien n’y attend de réponse.</translation>
    </message>
    <message>
        <source>Open that run: it says why.</source>
        <translation>Ouvrez cette exécution&#xa0;: elle dit pourquoi.</translation>
    </message>
    <message>
        <source>Put in another key at Settings, Models, then try again.</source>
        <translation>Saisissez une autre clé dans Réglages, Modèles, puis réessayez.</translation>
    </message>
    <message>
        <source>Reading the data ended unexpectedly. Nothing was changed. Check the data, then try again.</source>
        <translation>La lecture des données s’est arrêtée de façon inattendue. Rien n’a été modifié. Vérifiez les données, puis réessayez.</translation>
    </message>
    <message>
        <source>Say more exactly what is wanted, then try again.</source>
        <translation>Dites plus précisément ce que vous voulez, puis réessayez.</translation>
    </message>
    <message>
        <source>See to the address at Settings, Models: it often ends with /v1.</source>
        <translation>Vérifiez l’adresse dans Réglages, Modèles&#xa0;: elle se termine souvent par /v1.</translation>
    </message>
    <message>
        <source>See to the clock and to the address; a company’s certificates are chosen at Settings, Models.</source>
        <translation>Vérifiez l’horloge et l’adresse&#x202f;; les certificats d’une entreprise se choisissent dans Réglages, Modèles.</translation>
    </message>
    <message>
        <source>See to the connection and to the address. Then try again.</source>
        <translation>Vérifiez la connexion et l’adresse, puis réessayez.</translation>
    </message>
    <message>
        <source>See to the connection, and to the address at Settings, Models. Then try again.</source>
        <translation>Vérifiez la connexion, et l’adresse dans Réglages, Modèles. Puis réessayez.</translation>
    </message>
    <message>
        <source>See to the spelling of the address, and to the connection. Then try again.</source>
        <translation>Vérifiez l’orthographe de l’adresse et la connexion, puis réessayez.</translation>
    </message>
    <message>
        <source>See to {variable}, or list the server in NO_PROXY; then start the app again.</source>
        <translation>Vérifiez {variable}, ou ajoutez le serveur à NO_PROXY, puis redémarrez l’application.</translation>
    </message>
    <message>
        <source>See what it was given, then run it again.</source>
        <translation>Regardez ce qu’il a reçu, puis relancez.</translation>
    </message>
    <message>
        <source>See whether its address begins with http:// instead. Then try again.</source>
        <translation>Vérifiez si son adresse commence plutôt par http://, puis réessayez.</translation>
    </message>
    <message>
        <source>So many files cannot go along with one message.</source>
        <translation>Un seul message ne peut pas emporter autant de fichiers.</translation>
    </message>
    <message>
        <source>So many messages wait already that no other can.</source>
        <translation>Trop de messages attendent déjà pour qu’un autre attende aussi.</translation>
    </message>
    <message>
        <source>Something is wrong with the data, or another version of Metier has written it. Nothing was changed.</source>
        <translation>Il y a un problème avec les données, ou une autre version de Metier les a écrites. Rien n’a été modifié.</translation>
    </message>
    <message>
        <source>Something that a tool needs is not there</source>
        <translation>Il manque quelque chose dont un outil a besoin</translation>
    </message>
    <message>
        <source>Something was changed meanwhile. Nothing was imported: try again.</source>
        <translation>Quelque chose a changé entre-temps. Rien n’a été importé&#xa0;: réessayez.</translation>
    </message>
    <message>
        <source>Something went wrong that should not have. What runs goes on; the log has the details.</source>
        <translation>Une erreur inattendue s’est produite. Ce qui tourne continue&#x202f;; le journal a les détails.</translation>
    </message>
    <message>
        <source>Start it again with other values. If it fails again, its template has to be changed.</source>
        <translation>Relancez avec d’autres valeurs. En cas de nouvel échec, son gabarit doit être modifié.</translation>
    </message>
    <message>
        <source>Start the server there, or see to the port of its address. Then try again.</source>
        <translation>Démarrez le serveur, ou vérifiez le port de son adresse, puis réessayez.</translation>
    </message>
    <message>
        <source>Switch its server on at Settings, MCP servers, then try again.</source>
        <translation>Activez son serveur dans Réglages, Serveurs MCP, puis réessayez.</translation>
    </message>
    <message>
        <source>The agent was stopped: it kept calling tools</source>
        <translation>L’agent a été arrêté&#xa0;: il ne cessait d’appeler des outils</translation>
    </message>
    <message>
        <source>The answer reached the model’s output limit before it was complete</source>
        <translation>La réponse a atteint la limite de sortie du modèle avant d’être complète</translation>
    </message>
    <message>
        <source>The answer was cut off before its end</source>
        <translation>La réponse a été coupée avant la fin</translation>
    </message>
    <message>
        <source>The certificate of {host} is not trusted, so nothing was sent</source>
        <translation>Le certificat de {host} n’est pas fiable&#xa0;: rien n’a été envoyé</translation>
    </message>
    <message>
        <source>The code of a step failed</source>
        <translation>Le code d’une étape a échoué</translation>
    </message>
    <message>
        <source>The conversation is too long for this model</source>
        <translation>La conversation est trop longue pour ce modèle</translation>
    </message>
    <message>
        <source>The conversation is too long for this model to sum up. Choose one with a larger window.</source>
        <translation>La conversation est trop longue pour que ce modèle la résume. Choisissez-en un dont la fenêtre est plus grande.</translation>
    </message>
    <message>
        <source>The data could not be read or written. Try again. The log has the details.</source>
        <translation>Les données n’ont pas pu être lues ou écrites. Réessayez. Le journal donne les détails.</translation>
    </message>
    <message>
        <source>The data folder cannot be read. Nothing was changed. Give Metier access to it, then try again.</source>
        <translation>Le dossier des données n’est pas lisible. Rien n’a été modifié. Donnez-y accès à Metier, puis réessayez.</translation>
    </message>
    <message>
        <source>The data folder cannot be written. Give Metier access to it, and it goes on.</source>
        <translation>Le dossier des données n’est pas accessible en écriture. Donnez-y accès à Metier, et tout reprend.</translation>
    </message>
    <message>
        <source>The data folder was moved or removed while in use. What was saved is in it. Put it back.</source>
        <translation>Le dossier de données a été déplacé ou supprimé pendant son utilisation. Ce qui était enregistré s’y trouve. Remettez-le en place.</translation>
    </message>
    <message>
        <source>The details name it. Put it back or name another, then try again.</source>
        <translation>Les détails le nomment. Remettez-le ou indiquez-en un autre, puis réessayez.</translation>
    </message>
    <message>
        <source>The details say which. Start it again with another value.</source>
        <translation>Les détails disent laquelle. Relancez avec une autre valeur.</translation>
    </message>
    <message>
        <source>The disk does not respond. What was saved is safe. If it stays so, quit Metier and start it again.</source>
        <translation>Le disque ne répond pas. Ce qui était enregistré est en sûreté. Si cela dure, quittez Metier et relancez-le.</translation>
    </message>
    <message>
        <source>The disk is full. What was saved is safe. Make room, and it goes on.</source>
        <translation>Le disque est plein. Ce qui était enregistré est en sûreté. Libérez de la place, et cela reprend.</translation>
    </message>
    <message>
        <source>The file cannot be written. Choose another place.</source>
        <translation>Le fichier ne peut pas être écrit. Choisissez un autre emplacement.</translation>
    </message>
    <message>
        <source>The file has changed since. It was left as it is.</source>
        <translation>Le fichier a changé depuis. Il a été laissé tel quel.</translation>
    </message>
    <message>
        <source>The file with the keys cannot be read. Mend or remove it, then put the keys in again.</source>
        <translation>Le fichier des clés est illisible. Réparez-le ou supprimez-le, puis saisissez de nouveau les clés.</translation>
    </message>
    <message>
        <source>The files are too large to go along with one message.</source>
        <translation>Les fichiers sont trop grands pour être joints à un seul message.</translation>
    </message>
    <message>
        <source>The key could not be kept: its file cannot be written. Give Metier access to it.</source>
        <translation>La clé n’a pas pu être conservée&#xa0;: son fichier n’est pas accessible en écriture. Donnez-y accès à Metier.</translation>
    </message>
    <message>
        <source>The model’s answer failed</source>
        <translation>La réponse du modèle a échoué</translation>
    </message>
    <message>
        <source>The name {host} was not found</source>
        <translation>Le nom {host} est introuvable</translation>
    </message>
    <message>
        <source>The offline agent is no language model and cannot write a summary. Choose a model first.</source>
        <translation>L’agent hors ligne n’est pas un modèle de langage et ne peut pas rédiger de résumé. Choisissez d’abord un modèle.</translation>
    </message>
    <message>
        <source>The process that ran the code ended</source>
        <translation>Le processus qui exécutait le code s’est arrêté</translation>
    </message>
    <message>
        <source>The prompt asks for other values by now. Name it again.</source>
        <translation>Le prompt demande d’autres valeurs à présent. Nommez-le de nouveau.</translation>
    </message>
    <message>
        <source>The provider has trouble of its own</source>
        <translation>Le fournisseur a lui-même un problème</translation>
    </message>
    <message>
        <source>The provider knows no such model or address</source>
        <translation>Le fournisseur ne connaît pas ce modèle ou cette adresse</translation>
    </message>
    <message>
        <source>The provider refused the key</source>
        <translation>Le fournisseur a refusé la clé</translation>
    </message>
    <message>
        <source>The provider refused the request</source>
        <translation>Le fournisseur a refusé la requête</translation>
    </message>
    <message>
        <source>The provider’s filter cut the answer off</source>
        <translation>Le filtre du fournisseur a coupé la réponse</translation>
    </message>
    <message>
        <source>The provider’s limit is reached</source>
        <translation>La limite du fournisseur est atteinte</translation>
    </message>
    <message>
        <source>The provider’s limit is reached: too much was asked, or nothing is left to spend</source>
        <translation>La limite du fournisseur est atteinte&#xa0;: trop de demandes, ou plus de crédit</translation>
    </message>
    <message>
        <source>The proxy of {variable} cannot be used</source>
        <translation>Le proxy de {variable} ne peut pas être utilisé</translation>
    </message>
    <message>
        <source>The proxy {proxy} does not lead to {host}</source>
        <translation>Le proxy {proxy} ne mène pas à {host}</translation>
    </message>
    <message>
        <source>The search index cannot be opened or written. The conversations themselves are safe.</source>
        <translation>L’index de recherche ne peut être ni ouvert ni écrit. Les conversations elles-mêmes sont intactes.</translation>
    </message>
    <message>
        <source>The search index was damaged and is being made anew. Nothing else was harmed.</source>
        <translation>L’index de recherche était endommagé&#x202f;; il est en cours de reconstruction. Rien d’autre n’est touché.</translation>
    </message>
    <message>
        <source>The server could not be reached</source>
        <translation>Le serveur n’a pas pu être joint</translation>
    </message>
    <message>
        <source>The server did not answer in time</source>
        <translation>Le serveur n’a pas répondu à temps</translation>
    </message>
    <message>
        <source>The server’s answer could not be read</source>
        <translation>La réponse du serveur n’a pas pu être lue</translation>
    </message>
    <message>
        <source>There is a template with this title already.</source>
        <translation>Un gabarit porte déjà ce titre.</translation>
    </message>
    <message>
        <source>There is no data to back up yet.</source>
        <translation>Il n’y a pas encore de données à sauvegarder.</translation>
    </message>
    <message>
        <source>There is no encrypted connection to {host}</source>
        <translation>Aucune connexion chiffrée avec {host}</translation>
    </message>
    <message>
        <source>There is no key for this provider</source>
        <translation>Il n’y a pas de clé pour ce fournisseur</translation>
    </message>
    <message>
        <source>There is no key for this provider. Put one in at Settings, Models, or choose another model.</source>
        <translation>Il n’y a pas de clé pour ce fournisseur. Ajoutez-en une dans Réglages, Modèles, ou choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>There is no step yet that a template could be made of.</source>
        <translation>Il n’y a pas encore d’étape dont un gabarit pourrait être fait.</translation>
    </message>
    <message>
        <source>There is nothing to sum up: nothing was said since the last time.</source>
        <translation>Il n’y a rien à résumer&#xa0;: rien n’a été dit depuis la dernière fois.</translation>
    </message>
    <message>
        <source>There is nothing to try again here: nothing failed or was stopped.</source>
        <translation>Il n’y a rien à réessayer ici&#xa0;: rien n’a échoué ni été arrêté.</translation>
    </message>
    <message>
        <source>This file is no whole backup of Metier, or one of a later version. Nothing was changed. Choose another.</source>
        <translation>Ce fichier n’est pas une sauvegarde complète de Metier, ou vient d’une version plus récente. Rien n’a été modifié. Choisissez-en un autre.</translation>
    </message>
    <message>
        <source>This file is not an export of Metier, or it is cut or damaged. Nothing was changed.</source>
        <translation>Ce fichier n’est pas un export de Metier, ou il est tronqué ou endommagé. Rien n’a été modifié.</translation>
    </message>
    <message>
        <source>This file was written by a later version of Metier. Nothing was changed. Update Metier first.</source>
        <translation>Ce fichier vient d’une version plus récente de Metier. Rien n’a été modifié. Mettez d’abord Metier à jour.</translation>
    </message>
    <message>
        <source>This is larger than Metier can keep. Make it shorter.</source>
        <translation>C’est plus grand que ce que Metier peut conserver. Raccourcissez-le.</translation>
    </message>
    <message>
        <source>This recording has become a template already.</source>
        <translation>Cet enregistrement est déjà devenu un gabarit.</translation>
    </message>
    <message>
        <source>This recording has ended already.</source>
        <translation>Cet enregistrement est déjà terminé.</translation>
    </message>
    <message>
        <source>This system has no keyring. The key can be kept in a file instead.</source>
        <translation>Ce système n’a pas de trousseau. La clé peut être conservée dans un fichier.</translation>
    </message>
    <message>
        <source>This template has errors and cannot start.</source>
        <translation>Ce gabarit a des erreurs et ne peut pas démarrer.</translation>
    </message>
    <message>
        <source>This template takes no text: write its name alone.</source>
        <translation>Ce gabarit ne prend pas de texte&#xa0;: écrivez son nom seul.</translation>
    </message>
    <message>
        <source>This was answered already.</source>
        <translation>La réponse a déjà été donnée.</translation>
    </message>
    <message>
        <source>This workflow is still at work. It has to end first.</source>
        <translation>Ce workflow est encore au travail. Il doit d’abord se terminer.</translation>
    </message>
    <message>
        <source>Too much was written meanwhile. Try again when nothing is at work.</source>
        <translation>Trop de données ont été écrites entre-temps. Réessayez quand rien n’est en cours.</translation>
    </message>
    <message>
        <source>Try again in a moment, or choose another model.</source>
        <translation>Réessayez dans un instant, ou choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>Try again. If Metier ends again, report it with the log.</source>
        <translation>Réessayez. Si Metier s’arrête encore, signalez-le avec le journal.</translation>
    </message>
    <message>
        <source>Try again. If it stays so, choose another model.</source>
        <translation>Réessayez. Si cela persiste, choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>Try again. If it stays so, the details say what did not respond.</source>
        <translation>Réessayez. Si cela persiste, les détails disent ce qui n’a pas répondu.</translation>
    </message>
    <message>
        <source>Wait a while and try again, or choose another model.</source>
        <translation>Attendez un peu et réessayez, ou choisissez un autre modèle.</translation>
    </message>
    <message>
        <source>What was saved is safe. Make room on the disk, then try again.</source>
        <translation>Ce qui était enregistré est en sûreté. Libérez de la place sur le disque, puis réessayez.</translation>
    </message>
    <message>
        <source>What was saved is safe. See to the data folder, then try again.</source>
        <translation>Ce qui était enregistré est en sûreté. Vérifiez le dossier de données, puis réessayez.</translation>
    </message>
    <message>
        <source>With these values the text would be longer than a message may be.</source>
        <translation>Avec ces valeurs, le texte serait plus long que ne peut l’être un message.</translation>
    </message>
    <message>
        <source>{origin} could not be reached</source>
        <translation>{origin} n’a pas pu être joint</translation>
    </message>
    <message>
        <source>{origin} did not answer in time</source>
        <translation>{origin} n’a pas répondu à temps</translation>
    </message>
</context>
<context>
    <name>FileActionsView</name>
    <message>
        <source>Do it again</source>
        <translation>Rétablir</translation>
    </message>
    <message>
        <source>No copy of the file is kept, so this change cannot be undone.</source>
        <translation>Aucune copie du fichier n’est conservée&#xa0;: ce changement ne peut pas être annulé.</translation>
    </message>
    <message>
        <source>Nothing to compare: the file is empty, is not text, or is too large.</source>
        <translation>Rien à comparer&#xa0;: le fichier est vide, n’est pas du texte ou est trop grand.</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>Ouvrir le fichier</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ouvrir le dossier</translation>
    </message>
    <message>
        <source>The file has changed since, so this change cannot be undone.</source>
        <translation>Le fichier a changé depuis&#xa0;: ce changement ne peut pas être annulé.</translation>
    </message>
    <message>
        <source>Undo this change</source>
        <translation>Annuler ce changement</translation>
    </message>
    <message>
        <source>“{title}” has changed the file since, so this change cannot be undone.</source>
        <translation>«&#xa0;{title}&#xa0;» a modifié le fichier depuis&#xa0;: ce changement ne peut pas être annulé.</translation>
    </message>
</context>
<context>
    <name>FileDialogs</name>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
    <message>
        <source>Choose a file: {purpose}</source>
        <translation>Choisir un fichier&#xa0;: {purpose}</translation>
    </message>
    <message>
        <source>Files asked for</source>
        <translation>Fichiers demandés</translation>
    </message>
</context>
<context>
    <name>FileNote</name>
    <message>
        <source>Choose another model</source>
        <translation>Choisir un autre modèle</translation>
    </message>
</context>
<context>
    <name>FileNotes</name>
    <message>
        <source>It is not known whether {model} takes pictures: they are sent.</source>
        <translation>On ne sait pas si {model} accepte les images&#xa0;: elles sont envoyées.</translation>
    </message>
    <message>
        <source>Of “{name}”, only the first frame is sent.</source>
        <translation>Seule la première image de «&#xa0;{name}&#xa0;» est envoyée.</translation>
    </message>
    <message>
        <source>Of “{name}”, the model gets only the name.</source>
        <translation>De «&#xa0;{name}&#xa0;», le modèle ne reçoit que le nom.</translation>
    </message>
    <message>
        <source>Of “{name}”, the model gets only the text of the first pages.</source>
        <translation>De «&#xa0;{name}&#xa0;», le modèle ne reçoit que le texte des premières pages.</translation>
    </message>
    <message>
        <source>Of “{name}”, the model gets only the text.</source>
        <translation>De «&#xa0;{name}&#xa0;», le modèle ne reçoit que le texte.</translation>
    </message>
    <message>
        <source>The text of “{name}” cannot be read: the model gets only its name.</source>
        <translation>Le texte de «&#xa0;{name}&#xa0;» est illisible&#xa0;: le modèle n’en reçoit que le nom.</translation>
    </message>
    <message>
        <source>{model} takes no pictures: it gets only their names.</source>
        <translation>{model} n’accepte pas les images&#xa0;: il n’en reçoit que les noms.</translation>
    </message>
    <message>
        <source>“{name}” has no text, only pictures of pages: the model gets only its name.</source>
        <translation>«&#xa0;{name}&#xa0;» ne contient pas de texte, seulement des images de pages&#xa0;: le modèle n’en reçoit que le nom.</translation>
    </message>
    <message>
        <source>“{name}” is protected by a password: the model gets only its name.</source>
        <translation>«&#xa0;{name}&#xa0;» est protégé par un mot de passe&#xa0;: le modèle n’en reçoit que le nom.</translation>
    </message>
    <message>
        <source>“{name}” is scaled down to be sent.</source>
        <translation>«&#xa0;{name}&#xa0;» est réduite pour l’envoi.</translation>
    </message>
</context>
<context>
    <name>FileStrip</name>
    <message>
        <source>Attached files</source>
        <translation>Fichiers joints</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Retirer {name}</translation>
    </message>
</context>
<context>
    <name>FileView</name>
    <message>
        <source>Created</source>
        <translation>Créé</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Annulé</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Find in this workflow</source>
        <translation>Rechercher dans ce workflow</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Occurrence suivante</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Introuvable</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Occurrence précédente</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} sur {total}</translation>
    </message>
</context>
<context>
    <name>FolderChoice</name>
    <message>
        <source>A workflow has at most {count} folders and files</source>
        <translation>Un workflow a au plus {count} dossiers et fichiers</translation>
    </message>
    <message>
        <source>Add file…</source>
        <translation>Ajouter un fichier…</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>Ajouter un dossier…</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Choisir un dossier</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>Choisir un dossier…</translation>
    </message>
    <message>
        <source>Folders of the workflow</source>
        <translation>Dossiers du workflow</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Aucun dossier</translation>
    </message>
    <message>
        <source>Read and write</source>
        <translation>Lecture et écriture</translation>
    </message>
    <message>
        <source>Read only</source>
        <translation>Lecture seule</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>Afficher dans le gestionnaire de fichiers</translation>
    </message>
    <message>
        <source>Start relative paths here</source>
        <translation>Point de départ des chemins relatifs</translation>
    </message>
    <message>
        <source>{folder} (missing)</source>
        <translation>{folder} (introuvable)</translation>
    </message>
    <message>
        <source>{folder} (read only)</source>
        <translation>{folder} (lecture seule)</translation>
    </message>
    <message>
        <source>{name} — {folder}</source>
        <translation>{name} — {folder}</translation>
    </message>
    <message>
        <source>“{folder}” belongs to Metier itself: no tool may reach it</source>
        <translation>«&#xa0;{folder}&#xa0;» appartient à Metier&#xa0;: aucun outil n’y a accès</translation>
    </message>
    <message>
        <source>“{folder}” cannot be read</source>
        <translation>«&#xa0;{folder}&#xa0;» est illisible</translation>
    </message>
    <message>
        <source>“{folder}” does not exist any more</source>
        <translation>«&#xa0;{folder}&#xa0;» n’existe plus</translation>
    </message>
</context>
<context>
    <name>FolderSection</name>
    <message>
        <source>Copied</source>
        <translation>Copié</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Copier le chemin</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>Dossier des données</translation>
    </message>
    <message>
        <source>Everything that Metier keeps is in this folder, on this computer.</source>
        <translation>Tout ce que Metier conserve est dans ce dossier, sur cet ordinateur.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ouvrir le dossier</translation>
    </message>
    <message>
        <source>backups {size}</source>
        <translation>sauvegardes {size}</translation>
    </message>
    <message>
        <source>conversations and runs {size}</source>
        <translation>conversations et exécutions {size}</translation>
    </message>
    <message>
        <source>copies of changed files {size}</source>
        <translation>copies de fichiers modifiés {size}</translation>
    </message>
    <message>
        <source>logs {size}</source>
        <translation>journaux {size}</translation>
    </message>
    <message>
        <source>search {size}</source>
        <translation>recherche {size}</translation>
    </message>
    <message>
        <source>{size} in all:</source>
        <translation>{size} en tout&#x202f;:</translation>
    </message>
</context>
<context>
    <name>FoldersPage</name>
    <message>
        <source>In {workflows}</source>
        <translation>Dans {workflows}</translation>
    </message>
    <message>
        <source>In {workflows} and {count} more</source>
        <translation>Dans {workflows} et {count} autres</translation>
    </message>
    <message>
        <source>No workflow has a folder. Choose one in the header of a workflow.</source>
        <translation>Aucun workflow n’a de dossier. Choisissez-en un dans l’en-tête d’un workflow.</translation>
    </message>
    <message>
        <source>Offered to the next new workflow</source>
        <translation>Proposé au prochain nouveau workflow</translation>
    </message>
    <message>
        <source>Read and write</source>
        <translation>Lecture et écriture</translation>
    </message>
    <message>
        <source>Read only</source>
        <translation>Lecture seule</translation>
    </message>
    <message>
        <source>Tools reach the files in the folders of their workflow, and no others. Folders are chosen in the header of a workflow; those that are removed here are closed to all workflows. A run that is at work keeps its folders until it ends.</source>
        <translation>Les outils accèdent aux fichiers des dossiers de leur workflow, et à aucun autre. Les dossiers se choisissent dans l’en-tête d’un workflow&#x202f;; ceux qui sont retirés ici sont fermés à tous les workflows. Une exécution en cours garde ses dossiers jusqu’à sa fin.</translation>
    </message>
    <message>
        <source>{folder} is allowed again.</source>
        <translation>{folder} est de nouveau autorisé.</translation>
    </message>
    <message>
        <source>{folder} is not allowed any more.</source>
        <translation>{folder} n’est plus autorisé.</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>«&#xa0;{title}&#xa0;»</translation>
    </message>
</context>
<context>
    <name>FormField</name>
    <message>
        <source>This is needed.</source>
        <translation>Ce champ est requis.</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>facultatif</translation>
    </message>
</context>
<context>
    <name>Formats</name>
    <message>
        <source>Yesterday</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>now</source>
        <translation>à l’instant</translation>
    </message>
    <message>
        <source>{days} d {hours} h</source>
        <translation>{days} j {hours} h</translation>
    </message>
    <message>
        <source>{hours} h {minutes}</source>
        <translation>{hours} h {minutes}</translation>
    </message>
    <message>
        <source>{millions}M</source>
        <translation>{millions}&#xa0;M</translation>
    </message>
    <message>
        <source>{milliseconds} ms</source>
        <translation>{milliseconds} ms</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} min</translation>
    </message>
    <message>
        <source>{percent}%</source>
        <translation>{percent}&#x202f;%</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <source>{size} B</source>
        <translation>{size} o</translation>
    </message>
    <message>
        <source>{size} MB</source>
        <translation>{size} Mo</translation>
    </message>
    <message>
        <source>{size} kB</source>
        <translation>{size} ko</translation>
    </message>
    <message>
        <source>{thousands}k</source>
        <translation>{thousands}&#xa0;k</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Automatic mode</source>
        <translation>Mode automatique</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Folder: {folder}</source>
        <translation>Dossier&#xa0;: {folder}</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Manuel</translation>
    </message>
    <message>
        <source>Manual mode</source>
        <translation>Mode manuel</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Aucun dossier</translation>
    </message>
    <message>
        <source>No folder: tools reach no files</source>
        <translation>Aucun dossier&#xa0;: les outils n’ont accès à aucun fichier</translation>
    </message>
    <message>
        <source>Paused: cannot write to the data folder</source>
        <translation>En pause&#xa0;: le dossier de données n’est pas accessible en écriture</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>Sélectif</translation>
    </message>
    <message>
        <source>Selective mode</source>
        <translation>Mode sélectif</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Validation: {mode}</source>
        <translation>Validation&#xa0;: {mode}</translation>
    </message>
    <message>
        <source>Waiting for a place</source>
        <translation>En attente d’une place</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>Who answers: {who}</source>
        <translation>Qui répond&#xa0;: {who}</translation>
    </message>
    <message>
        <source>{agent} · {model}</source>
        <translation>{agent} · {model}</translation>
    </message>
    <message>
        <source>{folder} (read only)</source>
        <translation>{folder} (lecture seule)</translation>
    </message>
    <message>
        <source>{folder} +{others}</source>
        <translation>{folder} +{others}</translation>
    </message>
    <message>
        <source>{folder} does not exist any more</source>
        <translation>{folder} n’existe plus</translation>
    </message>
    <message>
        <source>{folder} is missing</source>
        <translation>{folder} introuvable</translation>
    </message>
</context>
<context>
    <name>HeaderBinder</name>
    <message>
        <source>New workflow</source>
        <translation>Nouveau workflow</translation>
    </message>
</context>
<context>
    <name>HeaderView</name>
    <message>
        <source>Assistant</source>
        <translation>Assistant</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message numerus="yes">
        <source>%n items are here already, and different:</source>
        <translation>
            <numerusform>%n élément est déjà ici, et différent&#xa0;:</numerusform>
            <numerusform>%n éléments sont déjà ici, et différents&#xa0;:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs had not ended. They come in as cancelled.</source>
        <translation>
            <numerusform>%n exécution n’était pas terminée. Elle est importée comme annulée.</numerusform>
            <numerusform>%n exécutions n’étaient pas terminées. Elles sont importées comme annulées.</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Enter again for the server {server}: {names}</source>
        <translation>À saisir de nouveau pour le serveur {server}&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Enter the keys again for: {addresses}</source>
        <translation>Clés à saisir de nouveau pour&#xa0;: {addresses}</translation>
    </message>
    <message>
        <source>From “{file}”. All of it comes in, or nothing; nothing of it is started.</source>
        <translation>Depuis «&#xa0;{file}&#xa0;». Tout est importé, ou rien&#x202f;; rien n’est démarré.</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importer</translation>
    </message>
    <message>
        <source>Importing</source>
        <translation>Import en cours</translation>
    </message>
    <message>
        <source>Keep both, under another name</source>
        <translation>Garder les deux, sous un autre nom</translation>
    </message>
    <message>
        <source>Keep what is here</source>
        <translation>Garder ce qui est ici</translation>
    </message>
    <message>
        <source>Replace what is here</source>
        <translation>Remplacer ce qui est ici</translation>
    </message>
    <message>
        <source>Some of these settings decide what runs without asking: {names}</source>
        <translation>Certains de ces réglages décident de ce qui s’exécute sans demander&#xa0;: {names}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>et %n autre</numerusform>
            <numerusform>et %n autres</numerusform>
        </translation>
    </message>
    <message>
        <source>left out</source>
        <translation>non importé</translation>
    </message>
</context>
<context>
    <name>IndexStatusBar</name>
    <message>
        <source>Go on</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Indexed: {done} of {total}</source>
        <translation>Indexé&#xa0;: {done} sur {total}</translation>
    </message>
    <message>
        <source>Indexing: {done} of {total}</source>
        <translation>Indexation&#xa0;: {done} sur {total}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>The index cannot be written</source>
        <translation>L’index ne peut pas être écrit</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
</context>
<context>
    <name>Indicator</name>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Not running</source>
        <translation>Inactif</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Waiting for a place</source>
        <translation>En attente d’une place</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>not looked at yet</source>
        <translation>pas encore consulté</translation>
    </message>
</context>
<context>
    <name>InputCard</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Fill in what is missing:</source>
        <translation>Complétez ce qui manque&#xa0;:</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>Insérer</translation>
    </message>
    <message>
        <source>Required input</source>
        <translation>Ce qui manque encore</translation>
    </message>
    <message>
        <source>Required to start:</source>
        <translation>Il manque encore ceci pour démarrer&#xa0;:</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Démarrer</translation>
    </message>
</context>
<context>
    <name>InstalledImport</name>
    <message numerus="yes">
        <source>%n server(s)</source>
        <translation>
            <numerusform>%n serveur</numerusform>
            <numerusform>%n serveurs</numerusform>
        </translation>
    </message>
    <message>
        <source>Configuration of</source>
        <translation>Configuration de</translation>
    </message>
    <message>
        <source>Import from another app</source>
        <translation>Importer d’une autre application</translation>
    </message>
    <message>
        <source>It is read and shown; nothing is started, and the other app keeps its servers.</source>
        <translation>Elle est lue et montrée&#x202f;; rien n’est lancé, et l’autre application garde ses serveurs.</translation>
    </message>
    <message>
        <source>Looking for configurations of other apps…</source>
        <translation>Recherche de configurations d’autres applications…</translation>
    </message>
    <message>
        <source>No other app with MCP servers was found here.</source>
        <translation>Aucune autre application avec des serveurs MCP n’a été trouvée ici.</translation>
    </message>
</context>
<context>
    <name>ItemRow</name>
    <message>
        <source>Default</source>
        <translation>Par défaut</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>Modifier {name}</translation>
    </message>
    <message>
        <source>Make default</source>
        <translation>Utiliser par défaut</translation>
    </message>
    <message>
        <source>Make {name} the default</source>
        <translation>Utiliser {name} par défaut</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Supprimer {name}</translation>
    </message>
</context>
<context>
    <name>JsonField</name>
    <message>
        <source>JSON: a text in quotation marks, a number, {…} or […]</source>
        <translation>JSON&#xa0;: un texte entre guillemets, un nombre, {…} ou […]</translation>
    </message>
    <message>
        <source>This is no JSON: a number is too large, or it is nested too deeply.</source>
        <translation>Ce n’est pas du JSON&#xa0;: un nombre est trop grand, ou l’imbrication trop profonde.</translation>
    </message>
    <message>
        <source>This is no JSON: line {line}, column {column}.</source>
        <translation>Ce n’est pas du JSON&#xa0;: ligne {line}, colonne {column}.</translation>
    </message>
</context>
<context>
    <name>KeyBindingEditor</name>
    <message>
        <source>Another key</source>
        <translation>Autre touche</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Touche</translation>
    </message>
    <message>
        <source>Press the keys. Backspace: none. Esc: as it was.</source>
        <translation>Appuyez sur les touches. Retour arrière&#xa0;: aucune. Échap&#xa0;: comme avant.</translation>
    </message>
    <message>
        <source>Reset to {keys}</source>
        <translation>Rétablir {keys}</translation>
    </message>
    <message>
        <source>Use it here instead</source>
        <translation>L’utiliser plutôt ici</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>{key} already does this: {command} ({where}).</source>
        <translation>{key} sert déjà à ceci&#xa0;: {command} ({where}).</translation>
    </message>
    <message>
        <source>{key} cannot be used. {why}</source>
        <translation>{key} ne peut pas servir. {why}</translation>
    </message>
</context>
<context>
    <name>KeyBindingTree</name>
    <message>
        <source>Commands and their keys</source>
        <translation>Commandes et leurs touches</translation>
    </message>
</context>
<context>
    <name>KeyNames</name>
    <message>
        <source>Enter</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>{one} or {other}</source>
        <translation>{one} ou {other}</translation>
    </message>
</context>
<context>
    <name>KeyRecorder</name>
    <message>
        <source>None</source>
        <translation>Aucune</translation>
    </message>
    <message>
        <source>Press keys…</source>
        <translation>Appuyez sur des touches…</translation>
    </message>
</context>
<context>
    <name>KeyWords</name>
    <message>
        <source>Alt with a letter opens a menu.</source>
        <translation>Alt avec une lettre ouvre un menu.</translation>
    </message>
    <message>
        <source>Ctrl+Shift with a digit differs from keyboard to keyboard.</source>
        <translation>Ctrl+Maj avec un chiffre change d’un clavier à l’autre.</translation>
    </message>
    <message>
        <source>Esc always closes the innermost thing.</source>
        <translation>Échap ferme toujours ce qui est au premier plan.</translation>
    </message>
    <message>
        <source>On many keyboards these keys type a character.</source>
        <translation>Sur beaucoup de claviers, ces touches écrivent un caractère.</translation>
    </message>
    <message>
        <source>Tab always leads to the next control.</source>
        <translation>Tab mène toujours à l’élément suivant.</translation>
    </message>
    <message>
        <source>There is no command “{command}” in this version.</source>
        <translation>Cette version n’a pas de commande «&#xa0;{command}&#xa0;».</translation>
    </message>
    <message>
        <source>This key edits text.</source>
        <translation>Cette touche a son propre rôle dans tout texte.</translation>
    </message>
    <message>
        <source>This key types a character. Add Ctrl.</source>
        <translation>Cette touche écrit un caractère là où l’on peut écrire. Ajoutez Ctrl.</translation>
    </message>
    <message>
        <source>{command}: another command has “{key}”.</source>
        <translation>{command}&#xa0;: une autre commande a «&#xa0;{key}&#xa0;».</translation>
    </message>
    <message>
        <source>{command}: “{key}” cannot be used.</source>
        <translation>{command}&#xa0;: «&#xa0;{key}&#xa0;» ne peut pas servir.</translation>
    </message>
    <message>
        <source>{command}: “{key}” is not a key.</source>
        <translation>{command}&#xa0;: «&#xa0;{key}&#xa0;» n’est pas une touche.</translation>
    </message>
</context>
<context>
    <name>KeysHelp</name>
    <message>
        <source>Answering</source>
        <translation>Répondre</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Partout</translation>
    </message>
    <message>
        <source>List of workflows</source>
        <translation>Liste des workflows</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>Notifications</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>Noms proposés pendant la saisie</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Conversation</translation>
    </message>
    <message>
        <source>Writing a message</source>
        <translation>Écrire un message</translation>
    </message>
</context>
<context>
    <name>KeysPage</name>
    <message>
        <source>All keys are as they came.</source>
        <translation>Toutes les touches sont comme à l’origine.</translation>
    </message>
    <message>
        <source>Find a command or a key</source>
        <translation>Rechercher une commande ou une touche</translation>
    </message>
    <message>
        <source>Reset all keys</source>
        <translation>Rétablir toutes les touches</translation>
    </message>
    <message>
        <source>Some of the keys that were kept are not used:</source>
        <translation>Certaines des touches enregistrées ne servent pas&#xa0;:</translation>
    </message>
    <message>
        <source>Undone. {command}: {keys}</source>
        <translation>Annulé. {command}&#xa0;: {keys}</translation>
    </message>
    <message>
        <source>Your own keys are back.</source>
        <translation>Vos propres touches sont revenues.</translation>
    </message>
    <message>
        <source>no key</source>
        <translation>aucune touche</translation>
    </message>
    <message>
        <source>{command}: {keys}</source>
        <translation>{command}&#xa0;: {keys}</translation>
    </message>
</context>
<context>
    <name>LatestButton</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n nouveau</numerusform>
            <numerusform>%n nouveaux</numerusform>
        </translation>
    </message>
    <message>
        <source>Latest</source>
        <translation>Dernier message</translation>
    </message>
</context>
<context>
    <name>LicenceRow</name>
    <message>
        <source>Hide the licence of {work}</source>
        <translation>Masquer la licence de {work}</translation>
    </message>
    <message>
        <source>Licence of {work}</source>
        <translation>Licence de {work}</translation>
    </message>
    <message>
        <source>Read the licence of {work}</source>
        <translation>Lire la licence de {work}</translation>
    </message>
    <message>
        <source>The text of this licence was removed from the app&apos;s folder.</source>
        <translation>Le texte de cette licence a été retiré du dossier de l’application.</translation>
    </message>
</context>
<context>
    <name>Licences</name>
    <message>
        <source>Font of code</source>
        <translation>Police du code</translation>
    </message>
    <message>
        <source>Font of texts</source>
        <translation>Police des textes</translation>
    </message>
    <message>
        <source>Icons</source>
        <translation>Icônes</translation>
    </message>
    <message>
        <source>This app</source>
        <translation>Cette application</translation>
    </message>
    <message>
        <source>TypeScript in code steps</source>
        <translation>TypeScript dans les étapes de code</translation>
    </message>
</context>
<context>
    <name>LimitController</name>
    <message>
        <source>A workflow can start now: send it again.</source>
        <translation>Un workflow peut démarrer maintenant&#xa0;: renvoyez le message.</translation>
    </message>
    <message>
        <source>“{workflow}” is running.</source>
        <translation>«&#xa0;{workflow}&#xa0;» est en cours.</translation>
    </message>
</context>
<context>
    <name>LimitStrip</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Queue it</source>
        <translation>Mettre en file</translation>
    </message>
    <message>
        <source>Show what is running</source>
        <translation>Voir ce qui est en cours</translation>
    </message>
    <message>
        <source>Switch and start</source>
        <translation>Passer et démarrer</translation>
    </message>
    <message>
        <source>Switch to automatic</source>
        <translation>Passer en automatique</translation>
    </message>
    <message>
        <source>The limit is reached</source>
        <translation>La limite est atteinte</translation>
    </message>
</context>
<context>
    <name>LineButton</name>
    <message>
        <source>folded</source>
        <translation>replié</translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation>déplié</translation>
    </message>
</context>
<context>
    <name>LocalServersCard</name>
    <message>
        <source>Found on this computer</source>
        <translation>Trouvé sur cet ordinateur</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Actualiser</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Recherche…</translation>
    </message>
    <message>
        <source>None of Ollama, LM Studio, llama.cpp and vLLM answers here.</source>
        <translation>Ni Ollama, ni LM Studio, ni llama.cpp, ni vLLM ne répondent ici.</translation>
    </message>
    <message>
        <source>Take one to choose a model of it. Nothing leaves this computer then.</source>
        <translation>Prenez-en un pour choisir l’un de ses modèles. Rien ne quitte alors cet ordinateur.</translation>
    </message>
    <message numerus="yes">
        <source>{server}: %n model(s)</source>
        <translation>
            <numerusform>{server}&#xa0;: %n modèle</numerusform>
            <numerusform>{server}&#xa0;: %n modèles</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LongTextField</name>
    <message>
        <source>One on each line</source>
        <translation>Un par ligne</translation>
    </message>
</context>
<context>
    <name>Memories</name>
    <message>
        <source>A memory has 1 to {limit} characters, and not blanks alone.</source>
        <translation>Un souvenir a de 1 à {limit} caractères, et pas seulement des blancs.</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Contexte</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>Décision</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>Connaissance</translation>
    </message>
    <message>
        <source>Preference</source>
        <translation>Préférence</translation>
    </message>
    <message>
        <source>for all conversations</source>
        <translation>pour toutes les conversations</translation>
    </message>
    <message>
        <source>of one conversation</source>
        <translation>d’une conversation</translation>
    </message>
    <message>
        <source>of “{title}”</source>
        <translation>de «&#xa0;{title}&#xa0;»</translation>
    </message>
    <message>
        <source>until {time}</source>
        <translation>jusqu’au {time}</translation>
    </message>
    <message>
        <source>{count} characters</source>
        <translation>{count} caractères</translation>
    </message>
</context>
<context>
    <name>MemoryDeletion</name>
    <message>
        <source>Agents forget all of it, in every conversation. This cannot be undone.</source>
        <translation>Les agents oublient tout, dans toutes les conversations. C’est définitif.</translation>
    </message>
    <message>
        <source>Delete all</source>
        <translation>Tout supprimer</translation>
    </message>
    <message>
        <source>Delete all memories</source>
        <translation>Supprimer toute la mémoire</translation>
    </message>
    <message numerus="yes">
        <source>Delete all {count} memories?</source>
        <translation>
            <numerusform>Supprimer le seul souvenir&#x202f;?</numerusform>
            <numerusform>Supprimer les {count} souvenirs&#x202f;?</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all…</source>
        <translation>Tout supprimer…</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Garder</translation>
    </message>
    <message>
        <source>Stop deleting</source>
        <translation>Arrêter la suppression</translation>
    </message>
    <message>
        <source>{count} are left to delete.</source>
        <translation>Il en reste {count} à supprimer.</translation>
    </message>
</context>
<context>
    <name>MemoryForm</name>
    <message>
        <source>Context is forgotten after seven days.</source>
        <translation>Un contexte est oublié après sept jours.</translation>
    </message>
    <message>
        <source>Edit memory</source>
        <translation>Modifier le souvenir</translation>
    </message>
    <message>
        <source>Save memory</source>
        <translation>Enregistrer le souvenir</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Type</translation>
    </message>
    <message>
        <source>What agents know</source>
        <translation>Ce que savent les agents</translation>
    </message>
</context>
<context>
    <name>MemoryPage</name>
    <message>
        <source>Agents keep here what is to be known beyond one answer, with the tool “memory”. You can read, change and delete all of it.</source>
        <translation>Les agents gardent ici ce qu’ils doivent retenir d’une réponse à l’autre, avec l’outil «&#xa0;memory&#xa0;». Vous pouvez tout lire, modifier et supprimer.</translation>
    </message>
    <message>
        <source>Agents remember nothing yet.</source>
        <translation>Les agents ne se souviennent encore de rien.</translation>
    </message>
    <message>
        <source>All types</source>
        <translation>Tous les types</translation>
    </message>
    <message>
        <source>Newer</source>
        <translation>Plus récents</translation>
    </message>
    <message>
        <source>No memory is like this.</source>
        <translation>Aucun souvenir ne correspond.</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>Plus anciens</translation>
    </message>
    <message>
        <source>Search memories</source>
        <translation>Rechercher dans la mémoire</translation>
    </message>
    <message>
        <source>The first {count} are shown.</source>
        <translation>Les {count} premiers sont affichés.</translation>
    </message>
    <message>
        <source>The memory is saved.</source>
        <translation>Le souvenir est enregistré.</translation>
    </message>
    <message>
        <source>Type of memory</source>
        <translation>Type de souvenir</translation>
    </message>
    <message numerus="yes">
        <source>{count} memories are deleted.</source>
        <translation>
            <numerusform>{count} souvenir est supprimé.</numerusform>
            <numerusform>{count} souvenirs sont supprimés.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} memories, about {size}</source>
        <translation>
            <numerusform>{count} souvenir, environ {size}</numerusform>
            <numerusform>{count} souvenirs, environ {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>“{memory}” is back.</source>
        <translation>«&#xa0;{memory}&#xa0;» est de retour.</translation>
    </message>
    <message>
        <source>“{memory}” is deleted.</source>
        <translation>«&#xa0;{memory}&#xa0;» est supprimé.</translation>
    </message>
</context>
<context>
    <name>Mentions</name>
    <message>
        <source>Attach files…</source>
        <translation>Joindre des fichiers…</translation>
    </message>
    <message>
        <source>answers next</source>
        <translation>répondra ensuite</translation>
    </message>
    <message>
        <source>answers now</source>
        <translation>répond en ce moment</translation>
    </message>
    <message>
        <source>file</source>
        <translation>fichier</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>dossier</translation>
    </message>
    <message>
        <source>resource</source>
        <translation>ressource</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Édition</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Fichier</translation>
    </message>
    <message>
        <source>&amp;Go</source>
        <translation>A&amp;ller</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>Aid&amp;e</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>E&amp;xécution</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Affichage</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>Copier en Markdown</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Copier le message</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>Modifier et renvoyer</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Copied</source>
        <translation>Copié</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
</context>
<context>
    <name>Minds</name>
    <message>
        <source>${price}</source>
        <translation>{price}&#xa0;$</translation>
    </message>
    <message>
        <source>A key is kept in the keyring of this system.</source>
        <translation>Une clé est gardée dans le trousseau de ce système.</translation>
    </message>
    <message>
        <source>A key is kept in {file}, which only you can read: this system has no keyring.</source>
        <translation>Une clé est gardée dans {file}, que vous seul pouvez lire&#xa0;: ce système n’a pas de trousseau.</translation>
    </message>
    <message>
        <source>A name has 1 to 64 characters.</source>
        <translation>Un nom a de 1 à 64 caractères.</translation>
    </message>
    <message>
        <source>A server that listens at 0.0.0.0 is asked at 127.0.0.1.</source>
        <translation>Un serveur qui écoute sur 0.0.0.0 est joint à 127.0.0.1.</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://.</source>
        <translation>Une adresse commence par http:// ou https://.</translation>
    </message>
    <message>
        <source>An address has no spaces.</source>
        <translation>Une adresse n’a pas d’espaces.</translation>
    </message>
    <message>
        <source>An address has no user name and no password. Put the key in its own field.</source>
        <translation>Une adresse n’a ni nom d’utilisateur ni mot de passe. Mettez la clé dans son propre champ.</translation>
    </message>
    <message>
        <source>Another agent has this name.</source>
        <translation>Un autre agent porte ce nom.</translation>
    </message>
    <message>
        <source>Chat completions (OpenAI)</source>
        <translation>Chat completions (OpenAI)</translation>
    </message>
    <message>
        <source>Enter the address of the server. It looks like https://host/v1.</source>
        <translation>Saisissez l’adresse du serveur. Elle ressemble à https://hote/v1.</translation>
    </message>
    <message>
        <source>Gemini (Google)</source>
        <translation>Gemini (Google)</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Fort</translation>
    </message>
    <message>
        <source>It does not list “{model}”.</source>
        <translation>Il ne liste pas «&#xa0;{model}&#xa0;».</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Faible</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Moyen</translation>
    </message>
    <message>
        <source>Messages (Anthropic)</source>
        <translation>Messages (Anthropic)</translation>
    </message>
    <message>
        <source>No key is kept. Servers on this computer need none.</source>
        <translation>Aucune clé n’est gardée. Les serveurs de cet ordinateur n’en demandent pas.</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Sans</translation>
    </message>
    <message>
        <source>Only the address was taken.</source>
        <translation>Seule l’adresse a été reprise.</translation>
    </message>
    <message>
        <source>Responses (OpenAI)</source>
        <translation>Responses (OpenAI)</translation>
    </message>
    <message>
        <source>The address ends before the question mark. What follows may hold a key: put that in its own field.</source>
        <translation>L’adresse se termine avant le point d’interrogation. La suite peut contenir une clé&#xa0;: mettez-la dans son propre champ.</translation>
    </message>
    <message>
        <source>The file of keys cannot be read or written, so the key is not kept.</source>
        <translation>Le fichier des clés ne peut être ni lu ni écrit&#xa0;: la clé n’est pas gardée.</translation>
    </message>
    <message>
        <source>The instructions have at most 10,000 characters.</source>
        <translation>Les instructions ont au plus 10&#x202f;000 caractères.</translation>
    </message>
    <message>
        <source>The key is read from an environment variable.</source>
        <translation>La clé est lue dans une variable d’environnement.</translation>
    </message>
    <message>
        <source>The keyring does not answer, so the key is still there.</source>
        <translation>Le trousseau ne répond pas&#xa0;: la clé y est toujours.</translation>
    </message>
    <message>
        <source>The path of a request was left out: the app adds it.</source>
        <translation>Le chemin d’une requête a été retiré&#xa0;: l’application l’ajoute.</translation>
    </message>
    <message>
        <source>The path to the API was corrected.</source>
        <translation>Le chemin de l’API a été corrigé.</translation>
    </message>
    <message>
        <source>The port, after the colon, is a number from 1 to 65535.</source>
        <translation>Le port, après les deux-points, est un nombre de 1 à 65535.</translation>
    </message>
    <message>
        <source>This is no address of a server. It looks like https://host/v1.</source>
        <translation>Ce n’est pas l’adresse d’un serveur. Elle ressemble à https://hote/v1.</translation>
    </message>
    <message>
        <source>This is no key: it has letters, digits and signs, and no spaces.</source>
        <translation>Ce n’est pas une clé&#xa0;: elle a des lettres, des chiffres et des signes, sans espaces.</translation>
    </message>
    <message>
        <source>This provider needs a key. It is kept in the keyring of this system, if it has one.</source>
        <translation>Ce fournisseur demande une clé. Elle est gardée dans le trousseau de ce système, s’il en a un.</translation>
    </message>
    <message>
        <source>What follows the # was left out.</source>
        <translation>Ce qui suit le # a été retiré.</translation>
    </message>
    <message>
        <source>free</source>
        <translation>gratuit</translation>
    </message>
    <message>
        <source>http:// or https:// was added.</source>
        <translation>http:// ou https:// a été ajouté.</translation>
    </message>
    <message>
        <source>price unknown</source>
        <translation>prix inconnu</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>inconnu</translation>
    </message>
    <message>
        <source>{price_in} in, {price_out} out</source>
        <translation>{price_in} en entrée, {price_out} en sortie</translation>
    </message>
    <message>
        <source>{tokens} tokens</source>
        <translation>{tokens} jetons</translation>
    </message>
    <message>
        <source>“{typed}” is called “{model}” here.</source>
        <translation>«&#xa0;{typed}&#xa0;» s’appelle ici «&#xa0;{model}&#xa0;».</translation>
    </message>
</context>
<context>
    <name>ModeMenu</name>
    <message>
        <source>Automatic: no approvals, several workflows at once</source>
        <translation>Automatique&#xa0;: sans demander, plusieurs workflows à la fois</translation>
    </message>
    <message>
        <source>Manual: every call needs approval, one workflow at a time</source>
        <translation>Manuel&#xa0;: chaque appel attend votre accord, un workflow à la fois</translation>
    </message>
    <message>
        <source>Selective: some approvals, one workflow at a time</source>
        <translation>Sélectif&#xa0;: certains appels attendent votre accord, un workflow à la fois</translation>
    </message>
    <message>
        <source>Validation mode</source>
        <translation>Mode de validation</translation>
    </message>
</context>
<context>
    <name>ModelForm</name>
    <message>
        <source>API</source>
        <translation>API</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>Clé d’API</translation>
    </message>
    <message>
        <source>Add model</source>
        <translation>Ajouter le modèle</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Another server</source>
        <translation>Un autre serveur</translation>
    </message>
    <message>
        <source>Asking {origin}…</source>
        <translation>Demande à {origin}…</translation>
    </message>
    <message>
        <source>Connect a model</source>
        <translation>Connecter un modèle</translation>
    </message>
    <message>
        <source>Context window</source>
        <translation>Contexte</translation>
    </message>
    <message>
        <source>Dollars for a million tokens.</source>
        <translation>Dollars pour un million de jetons.</translation>
    </message>
    <message>
        <source>For input that the provider has cached.</source>
        <translation>Pour l’entrée que le fournisseur a en cache.</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>Oublier la clé</translation>
    </message>
    <message>
        <source>In tokens.</source>
        <translation>En jetons.</translation>
    </message>
    <message numerus="yes">
        <source>It answers, and lists %n model(s).</source>
        <translation>
            <numerusform>Il répond, avec %n modèle.</numerusform>
            <numerusform>Il répond, avec %n modèles.</numerusform>
        </translation>
    </message>
    <message>
        <source>Its API is at {address}.</source>
        <translation>Son API est à {address}.</translation>
    </message>
    <message>
        <source>List them, or type a name. Empty: the only one that the server has.</source>
        <translation>Affichez la liste, ou tapez un nom. Vide&#xa0;: le seul que le serveur a.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Of the API, as its documentation says: it often ends with /v1.</source>
        <translation>Celle de l’API, selon sa documentation&#xa0;: elle finit souvent par /v1.</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Price from the cache</source>
        <translation>Prix du cache</translation>
    </message>
    <message>
        <source>Price in</source>
        <translation>Prix d’entrée</translation>
    </message>
    <message>
        <source>Price out</source>
        <translation>Prix de sortie</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>Fournisseur</translation>
    </message>
    <message>
        <source>Test and list models</source>
        <translation>Tester et lister</translation>
    </message>
    <message>
        <source>What the server speaks, as its documentation says.</source>
        <translation>Celle que parle le serveur, selon sa documentation.</translation>
    </message>
    <message>
        <source>Whether the model takes pictures.</source>
        <translation>Si le modèle accepte les images.</translation>
    </message>
    <message>
        <source>as its name suggests</source>
        <translation>d’après son nom</translation>
    </message>
    <message>
        <source>kept, not shown</source>
        <translation>gardée, non affichée</translation>
    </message>
    <message>
        <source>like other input</source>
        <translation>comme le reste</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>inconnu</translation>
    </message>
</context>
<context>
    <name>ModelOffer</name>
    <message>
        <source>Connect a model</source>
        <translation>Connecter un modèle</translation>
    </message>
    <message>
        <source>The offline agent follows a few commands only. With a model, agents answer what you write.</source>
        <translation>L’agent hors ligne ne suit que quelques commandes. Avec un modèle, des agents répondent à ce que vous écrivez.</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>A new conversation begins with the default. The header of a conversation says which model answers, and chooses another one.</source>
        <translation>Une nouvelle conversation commence avec celui par défaut. L’en-tête d’une conversation dit quel modèle répond, et permet d’en choisir un autre.</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Par défaut</translation>
    </message>
    <message>
        <source>Default: {model}</source>
        <translation>Par défaut&#xa0;: {model}</translation>
    </message>
    <message>
        <source>Follows commands, without a key and without the network. Type help to see them.</source>
        <translation>Suit des commandes, sans clé et sans réseau. Tapez help pour les voir.</translation>
    </message>
    <message>
        <source>{model} can be chosen again.</source>
        <translation>{model} peut être choisi de nouveau.</translation>
    </message>
    <message>
        <source>{model} can be chosen, and is the default.</source>
        <translation>{model} peut être choisi, et est celui par défaut.</translation>
    </message>
    <message>
        <source>{model} can be chosen.</source>
        <translation>{model} peut être choisi.</translation>
    </message>
    <message>
        <source>{model} is removed.</source>
        <translation>{model} est supprimé.</translation>
    </message>
</context>
<context>
    <name>NameValueRow</name>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Supprimer {name}</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>Secret</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valeur</translation>
    </message>
    <message>
        <source>Value of {name}</source>
        <translation>Valeur de {name}</translation>
    </message>
    <message>
        <source>forgotten: type it again</source>
        <translation>oubliée&#xa0;: saisissez-la de nouveau</translation>
    </message>
    <message>
        <source>kept, not shown</source>
        <translation>gardée, non affichée</translation>
    </message>
    <message>
        <source>{name} is a secret</source>
        <translation>{name} est un secret</translation>
    </message>
</context>
<context>
    <name>NotificationCounts</name>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n workflow a échoué</numerusform>
            <numerusform>%n workflows ont échoué</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) finished</source>
        <translation>
            <numerusform>%n workflow terminé</numerusform>
            <numerusform>%n workflows terminés</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) need you</source>
        <translation>
            <numerusform>%n workflow vous attend</numerusform>
            <numerusform>%n workflows vous attendent</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Go to workflow</source>
        <translation>Aller au workflow</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>This is a test</source>
        <translation>Ceci est un essai</translation>
    </message>
    <message>
        <source>This is how you are notified when a workflow needs you.</source>
        <translation>Voilà comment vous saurez ce qui a besoin de vous quand vous regardez ailleurs.</translation>
    </message>
    <message>
        <source>{kind}: {what}</source>
        <translation>{kind}&#xa0;: {what}</translation>
    </message>
</context>
<context>
    <name>NotificationsPage</name>
    <message>
        <source>How they reach you</source>
        <translation>Comment elles vous parviennent</translation>
    </message>
    <message>
        <source>Looking for the notification service of your desktop…</source>
        <translation>Recherche du service de notification de votre bureau…</translation>
    </message>
    <message>
        <source>No notification service was found here, so nothing is shown outside the window. The inbox has everything.</source>
        <translation>Aucun service de notification n’a été trouvé ici&#xa0;: rien ne s’affiche hors de la fenêtre. Tout est dans la boîte de réception.</translation>
    </message>
    <message>
        <source>Nobody showed it. Is a notification service running? Then try again.</source>
        <translation>Personne ne l’a affichée. Un service de notification est-il en marche&#x202f;? Réessayez ensuite.</translation>
    </message>
    <message>
        <source>Send a test</source>
        <translation>Envoyer un essai</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>Envoi…</translation>
    </message>
    <message>
        <source>Sent. If you see nothing, look at “do not disturb” in the settings of your desktop.</source>
        <translation>Envoyée. Si vous ne voyez rien, regardez «&#xa0;ne pas déranger&#xa0;» dans les réglages de votre bureau.</translation>
    </message>
    <message>
        <source>The window alone tells you, and its inbox.</source>
        <translation>Seules la fenêtre et sa boîte de réception vous le disent.</translation>
    </message>
    <message>
        <source>They are shown by the icon in the tray. A click on one brings its workflow.</source>
        <translation>L’icône de la zone de notification les affiche. Un clic sur l’une d’elles mène à son workflow.</translation>
    </message>
    <message>
        <source>When a workflow needs you or fails.</source>
        <translation>Quand un workflow a besoin de vous ou échoue.</translation>
    </message>
    <message>
        <source>When a workflow needs you, finishes or fails.</source>
        <translation>Quand un workflow a besoin de vous, se termine ou échoue.</translation>
    </message>
    <message>
        <source>When a workflow waits for your answer or approval.</source>
        <translation>Quand un workflow attend votre réponse ou votre accord.</translation>
    </message>
    <message>
        <source>Your desktop shows them, but tells of no click: open the inbox to get there.</source>
        <translation>Votre bureau les affiche, mais ne signale aucun clic&#xa0;: passez par la boîte de réception.</translation>
    </message>
    <message>
        <source>Your desktop shows them. A click on one brings its workflow.</source>
        <translation>Votre bureau les affiche. Un clic sur l’une d’elles mène à son workflow.</translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>At least {number}.</source>
        <translation>Au moins {number}.</translation>
    </message>
    <message>
        <source>At most {number}.</source>
        <translation>Au plus {number}.</translation>
    </message>
    <message>
        <source>This has to be a number.</source>
        <translation>Il faut un nombre.</translation>
    </message>
    <message>
        <source>This has to be a whole number.</source>
        <translation>Il faut un nombre entier.</translation>
    </message>
    <message>
        <source>This number is too large.</source>
        <translation>Ce nombre est trop grand.</translation>
    </message>
</context>
<context>
    <name>OptionalChoiceBox</name>
    <message>
        <source>no</source>
        <translation>non</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>oui</translation>
    </message>
</context>
<context>
    <name>OptionsField</name>
    <message>
        <source>Choose at least {number}.</source>
        <translation>Choisissez-en au moins {number}.</translation>
    </message>
    <message>
        <source>Choose at most {number}.</source>
        <translation>Choisissez-en au plus {number}.</translation>
    </message>
    <message>
        <source>Choose something or write an answer; to give none, skip it.</source>
        <translation>Choisissez ou écrivez une réponse&#x202f;; pour n’en donner aucune, passez la question.</translation>
    </message>
    <message>
        <source>Choose something; to give no answer, skip it.</source>
        <translation>Choisissez quelque chose&#x202f;; pour ne rien répondre, passez la question.</translation>
    </message>
    <message>
        <source>In your own words</source>
        <translation>Avec vos propres mots</translation>
    </message>
    <message>
        <source>This is too long: at most {number} characters.</source>
        <translation>C’est trop long&#xa0;: {number} caractères au plus.</translation>
    </message>
    <message>
        <source>Write an answer; to give none, skip it.</source>
        <translation>Écrivez une réponse&#x202f;; pour n’en donner aucune, passez la question.</translation>
    </message>
</context>
<context>
    <name>PageList</name>
    <message>
        <source>Pages</source>
        <translation>Pages</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>About</source>
        <translation>À propos</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>Agents</translation>
    </message>
    <message>
        <source>Appearance and language</source>
        <translation>Apparence et langue</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Données</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Dossiers</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Limites</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>Serveurs MCP</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>Notifications</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validation</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>&gt; commands    # templates    @ who answers    ! inbox    ? keys</source>
        <translation>&gt; commandes    # gabarits    @ qui répond   &#x202f;! boîte de réception   &#x202f;? raccourcis</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Commandes</translation>
    </message>
    <message>
        <source>Go to a workflow by its name</source>
        <translation>Aller à un workflow par son nom</translation>
    </message>
    <message>
        <source>Go to anything</source>
        <translation>Aller à…</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>À votre attention</translation>
    </message>
    <message>
        <source>Nothing has happened yet. What needs you, finishes or fails stands here. Esc goes back.</source>
        <translation>Rien pour l’instant. Ce qui vous attend, se termine ou échoue apparaît ici. Échap revient en arrière.</translation>
    </message>
    <message>
        <source>Nothing has that name. Fewer letters find more; Esc goes back.</source>
        <translation>Rien ne porte ce nom. Tapez moins de lettres pour trouver davantage&#x202f;; Échap revient en arrière.</translation>
    </message>
    <message>
        <source>Recently</source>
        <translation>Récemment</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Ce qui a été trouvé</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archivé</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>terminé</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>needs you</source>
        <translation>vous attend</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>en pause</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>en file</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>arrêté</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>{workflow}: {asked}</source>
        <translation>{workflow} — {asked}</translation>
    </message>
    <message>
        <source>{workflow}: {what}</source>
        <translation>{workflow} — {what}</translation>
    </message>
</context>
<context>
    <name>Picker</name>
    <message>
        <source>Agents</source>
        <translation>Agents</translation>
    </message>
    <message>
        <source>Connect a model…</source>
        <translation>Connecter un modèle…</translation>
    </message>
    <message>
        <source>Find an agent or a model</source>
        <translation>Rechercher un agent ou un modèle</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>Qui répond</translation>
    </message>
    <message>
        <source>any model</source>
        <translation>n’importe quel modèle</translation>
    </message>
    <message>
        <source>follows commands</source>
        <translation>suit des commandes</translation>
    </message>
    <message>
        <source>opens the settings</source>
        <translation>ouvre les réglages</translation>
    </message>
    <message>
        <source>{host}, on this computer</source>
        <translation>{host}, sur cet ordinateur</translation>
    </message>
</context>
<context>
    <name>PictureButton</name>
    <message>
        <source>Picture that cannot be shown: {details}</source>
        <translation>Image impossible à afficher&#xa0;: {details}</translation>
    </message>
    <message>
        <source>Picture: {details}</source>
        <translation>Image&#xa0;: {details}</translation>
    </message>
</context>
<context>
    <name>PictureController</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Enregistrer sous</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Enregistrer sous…</translation>
    </message>
</context>
<context>
    <name>PictureViewer</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Next picture</source>
        <translation>Image suivante</translation>
    </message>
    <message>
        <source>Previous picture</source>
        <translation>Image précédente</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Enregistrer sous…</translation>
    </message>
</context>
<context>
    <name>PlaceField</name>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Choisir un dossier</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
</context>
<context>
    <name>PlanView</name>
    <message>
        <source>Hide the plan</source>
        <translation>Masquer le plan</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Show the plan</source>
        <translation>Afficher le plan</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} sur {total}</translation>
    </message>
    <message>
        <source>{done} of {total} tasks done</source>
        <translation>{done} tâches terminées sur {total}</translation>
    </message>
</context>
<context>
    <name>PromptForm</name>
    <message>
        <source>Category</source>
        <translation>Catégorie</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Description</translation>
    </message>
    <message>
        <source>Edit prompt</source>
        <translation>Modifier le prompt</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Nouveau prompt</translation>
    </message>
    <message>
        <source>Save prompt</source>
        <translation>Enregistrer le prompt</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
</context>
<context>
    <name>Prompts</name>
    <message>
        <source>A category has at most {limit} characters, all of which can be shown.</source>
        <translation>Une catégorie a au plus {limit} caractères, tous affichables.</translation>
    </message>
    <message>
        <source>A description has at most {limit} characters.</source>
        <translation>Une description a au plus {limit} caractères.</translation>
    </message>
    <message>
        <source>A name has 1 to {limit} characters, all of which can be shown.</source>
        <translation>Un nom a de 1 à {limit} caractères, tous affichables.</translation>
    </message>
    <message>
        <source>A prompt has a text, of at most {limit} characters and {most} names to fill in.</source>
        <translation>Un prompt a un texte, d’au plus {limit} caractères et {most} noms à compléter.</translation>
    </message>
    <message>
        <source>Another prompt has this name.</source>
        <translation>Un autre prompt porte ce nom.</translation>
    </message>
    <message>
        <source>Asks for nothing. Write {{name}} where something is to be filled in.</source>
        <translation>Ne demande rien. Écrivez {{name}} là où quelque chose est à compléter.</translation>
    </message>
    <message>
        <source>Asks for: {names}</source>
        <translation>Demande&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Asks for: {names} and {more} more</source>
        <translation>Demande&#xa0;: {names} et {more} autres</translation>
    </message>
</context>
<context>
    <name>PromptsPage</name>
    <message>
        <source>A prompt is a text that you use again. Type / in an empty message to find it by its name; what its {{name}} places need is asked then, and nothing is sent before you send it.</source>
        <translation>Un prompt est un texte que vous réutilisez. Tapez / dans un message vide pour le trouver par son nom&#x202f;; ce qu’il faut à la place de {{name}} vous est alors demandé, et rien n’est envoyé avant que vous l’envoyiez.</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>Nouveau prompt</translation>
    </message>
    <message>
        <source>There is no prompt yet. “New prompt” makes the first one.</source>
        <translation>Il n’y a pas encore de prompt. «&#xa0;Nouveau prompt&#xa0;» crée le premier.</translation>
    </message>
    <message>
        <source>{prompt} is back.</source>
        <translation>{prompt} est de retour.</translation>
    </message>
    <message>
        <source>{prompt} is removed.</source>
        <translation>{prompt} est retiré.</translation>
    </message>
    <message>
        <source>{prompt} is saved.</source>
        <translation>{prompt} est enregistré.</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>Archive workflow</source>
        <translation>Archiver le workflow</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>Delete workflow</source>
        <translation>Supprimer le workflow</translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation>Supprimer «&#xa0;{title}&#xa0;»&#x202f;?</translation>
    </message>
    <message>
        <source>It is running; it will be stopped first.</source>
        <translation>Il est en cours&#x202f;; il sera d’abord arrêté.</translation>
    </message>
    <message>
        <source>It will be stopped before it is archived. Its work so far is kept.</source>
        <translation>Il sera arrêté avant d’être archivé. Ce qui est déjà fait est conservé.</translation>
    </message>
    <message>
        <source>Its messages and runs are removed. You can undo it for a few seconds.</source>
        <translation>Ses messages et ses exécutions sont supprimés. Vous pouvez annuler pendant quelques secondes.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Garder</translation>
    </message>
    <message>
        <source>Stop and archive</source>
        <translation>Arrêter et archiver</translation>
    </message>
    <message>
        <source>“{title}” is running.</source>
        <translation>«&#xa0;{title}&#xa0;» est en cours d’exécution.</translation>
    </message>
</context>
<context>
    <name>QueueStrip</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n fichier</numerusform>
            <numerusform>%n fichiers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) wait(s) for the end of this turn</source>
        <translation>
            <numerusform>%n message attend la fin de ce tour</numerusform>
            <numerusform>%n messages attendent la fin de ce tour</numerusform>
        </translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Modifier</translation>
    </message>
    <message>
        <source>Enter edits, Ctrl+Enter sends now, Ctrl+Up and Ctrl+Down move, Delete removes</source>
        <translation>Entrée modifie, Ctrl+Entrée envoie maintenant, Ctrl+Haut et Ctrl+Bas déplacent, Suppr retire</translation>
    </message>
    <message>
        <source>Position {position} of {count}</source>
        <translation>Place {position} sur {count}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>Messages en attente</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Send now</source>
        <translation>Envoyer maintenant</translation>
    </message>
</context>
<context>
    <name>QuitGuard</name>
    <message numerus="yes">
        <source>%n wait(s) for you.</source>
        <translation>
            <numerusform>%n vous attend.</numerusform>
            <numerusform>%n vous attendent.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) are at work.</source>
        <translation>
            <numerusform>%n workflow est en cours.</numerusform>
            <numerusform>%n workflows sont en cours.</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Laisser tourner</translation>
    </message>
    <message>
        <source>Quit Metier</source>
        <translation>Quitter Metier</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Rester</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>Arrêter et quitter</translation>
    </message>
    <message>
        <source>What stops now continues where it was when Metier is opened again.</source>
        <translation>Ce qui s’arrête maintenant reprendra où il en était à la prochaine ouverture de Metier.</translation>
    </message>
</context>
<context>
    <name>RecentList</name>
    <message>
        <source>Viewed last</source>
        <translation>Vus en dernier</translation>
    </message>
</context>
<context>
    <name>RecordingBanner</name>
    <message numerus="yes">
        <source>Recording: %n steps so far.</source>
        <translation>
            <numerusform>Enregistrement&#xa0;: %n étape jusqu’ici.</numerusform>
            <numerusform>Enregistrement&#xa0;: %n étapes jusqu’ici.</numerusform>
        </translation>
    </message>
    <message>
        <source>Recording: each tool call becomes a step of a template.</source>
        <translation>Enregistrement&#xa0;: chaque appel d’outil devient une étape d’un gabarit.</translation>
    </message>
    <message>
        <source>Stop and review</source>
        <translation>Arrêter et revoir</translation>
    </message>
</context>
<context>
    <name>Request</name>
    <message>
        <source>Answer</source>
        <translation>Réponse</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>Change the arguments</source>
        <translation>Modifier les arguments</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Résultat</translation>
    </message>
    <message>
        <source>There is nothing yet: this step reads no result of another one.</source>
        <translation>Il n’y a encore rien&#xa0;: cette étape ne lit le résultat d’aucune autre.</translation>
    </message>
    <message>
        <source>Too large to be changed here</source>
        <translation>Trop volumineux pour être modifié ici</translation>
    </message>
</context>
<context>
    <name>RequestDetails</name>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>What has changed</source>
        <translation>Ce qui a changé</translation>
    </message>
</context>
<context>
    <name>RestorePage</name>
    <message>
        <source>Restoring the backup…</source>
        <translation>Restauration de la sauvegarde…</translation>
    </message>
    <message>
        <source>Your present data stays as it is until all of the backup is loaded and compared.</source>
        <translation>Vos données actuelles restent telles quelles jusqu’à ce que toute la sauvegarde soit chargée et comparée.</translation>
    </message>
</context>
<context>
    <name>ResultStrings</name>
    <message numerus="yes">
        <source>%n hits</source>
        <translation>
            <numerusform>%n résultat</numerusform>
            <numerusform>%n résultats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more in this workflow</source>
        <translation>
            <numerusform>%n autre dans ce workflow</numerusform>
            <numerusform>%n autres dans ce workflow</numerusform>
        </translation>
    </message>
    <message>
        <source>More workflows</source>
        <translation>Plus de workflows</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archivé</translation>
    </message>
</context>
<context>
    <name>ReviewDialog</name>
    <message numerus="yes">
        <source>%n steps become a template that you can run again with other values.</source>
        <translation>
            <numerusform>%n étape devient un gabarit que vous pourrez relancer avec d’autres valeurs.</numerusform>
            <numerusform>%n étapes deviennent un gabarit que vous pourrez relancer avec d’autres valeurs.</numerusform>
        </translation>
    </message>
    <message>
        <source>End without a template</source>
        <translation>Terminer sans gabarit</translation>
    </message>
    <message>
        <source>Keep recording</source>
        <translation>Continuer l’enregistrement</translation>
    </message>
    <message>
        <source>Left out: {steps}</source>
        <translation>Laissées de côté&#xa0;: {steps}</translation>
    </message>
    <message>
        <source>No value was found that may change from run to run</source>
        <translation>Aucune valeur trouvée qui puisse changer d’une exécution à l’autre</translation>
    </message>
    <message>
        <source>Offered values</source>
        <translation>Valeurs proposées</translation>
    </message>
    <message>
        <source>Review the recording</source>
        <translation>Revoir l’enregistrement</translation>
    </message>
    <message>
        <source>Save template</source>
        <translation>Enregistrer le gabarit</translation>
    </message>
    <message>
        <source>Secrets were not kept, and the template lacks them: {places}</source>
        <translation>Des secrets n’ont pas été conservés et manquent au gabarit&#xa0;: {places}</translation>
    </message>
    <message>
        <source>Take all</source>
        <translation>Tout prendre</translation>
    </message>
    <message>
        <source>There is no step yet that a template could be made of.</source>
        <translation>Il n’y a pas encore d’étape dont un gabarit pourrait être fait.</translation>
    </message>
    <message>
        <source>Title of the template</source>
        <translation>Titre du gabarit</translation>
    </message>
    <message>
        <source>Values that may change from run to run</source>
        <translation>Valeurs qui peuvent changer d’une exécution à l’autre</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>laissée de côté</translation>
    </message>
    <message>
        <source>repeated</source>
        <translation>répétée</translation>
    </message>
    <message>
        <source>unfinished</source>
        <translation>inachevée</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>inutilisée</translation>
    </message>
</context>
<context>
    <name>RowDelegate</name>
    <message>
        <source>Name of the workflow</source>
        <translation>Nom du workflow</translation>
    </message>
</context>
<context>
    <name>RowMenu</name>
    <message>
        <source>Actions of the workflow</source>
        <translation>Actions du workflow</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archiver</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Supprimer…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Peek</source>
        <translation>Aperçu</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renommer</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurer</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <source>Step {name}</source>
        <translation>Étape {name}</translation>
    </message>
    <message>
        <source>Tool {name}</source>
        <translation>Outil {name}</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Find a workflow by name</source>
        <translation>Rechercher un workflow par son nom</translation>
    </message>
    <message>
        <source>Find by name</source>
        <translation>Rechercher par nom</translation>
    </message>
</context>
<context>
    <name>SearchPanel</name>
    <message numerus="yes">
        <source>%n workflows</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>Finds what was said, what tools gave and what steps put out. “In quotes” finds a phrase.</source>
        <translation>Trouve ce qui a été dit, ce que les outils ont donné et ce que les étapes ont produit. «&#xa0;Entre guillemets&#xa0;» trouve une suite de mots.</translation>
    </message>
    <message numerus="yes">
        <source>More than %n workflows</source>
        <translation>
            <numerusform>Plus de %n workflow</numerusform>
            <numerusform>Plus de %n workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing found so far. Older workflows are still being indexed.</source>
        <translation>Rien pour le moment. Des workflows plus anciens sont en cours d’indexation.</translation>
    </message>
    <message>
        <source>Nothing has all of these words. Try fewer, or the beginning of a word.</source>
        <translation>Rien ne contient tous ces mots. Essayez-en moins, ou le début d’un mot.</translation>
    </message>
    <message>
        <source>Search in all workflows</source>
        <translation>Rechercher dans tous les workflows</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Recherche…</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Ce qui a été trouvé</translation>
    </message>
    <message>
        <source>{count}; the oldest hits are left out</source>
        <translation>{count}&#x202f;; les résultats les plus anciens sont omis</translation>
    </message>
</context>
<context>
    <name>SendController</name>
    <message>
        <source>Messages wait: {reason}</source>
        <translation>Ils attendent&#xa0;: {reason}</translation>
    </message>
    <message>
        <source>The turn failed: messages wait until you send one, or the next turn succeeds</source>
        <translation>Le tour a échoué&#xa0;: ces messages attendent que vous en envoyiez un, ou qu’un tour réussisse</translation>
    </message>
    <message>
        <source>The turn was stopped: messages wait until you send one, or the next turn succeeds</source>
        <translation>Le tour a été arrêté&#xa0;: ces messages attendent que vous en envoyiez un, ou qu’un tour réussisse</translation>
    </message>
    <message>
        <source>These messages were imported: they wait until you send one, or the next turn succeeds</source>
        <translation>Ces messages ont été importés&#xa0;: ils attendent que vous en envoyiez un, ou que le prochain tour réussisse</translation>
    </message>
</context>
<context>
    <name>ServerActions</name>
    <message>
        <source>It is ended, and agents and templates lose its tools. You can undo it while the app is open.</source>
        <translation>Il est arrêté, et les agents et les gabarits perdent ses outils. Vous pouvez annuler tant que l’application est ouverte.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Garder</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>Remove server</source>
        <translation>Supprimer le serveur</translation>
    </message>
    <message>
        <source>Remove “{server}”?</source>
        <translation>Supprimer «&#xa0;{server}&#xa0;»&#x202f;?</translation>
    </message>
    <message numerus="yes">
        <source>{server} answers, and offers %n tool(s).</source>
        <translation>
            <numerusform>{server} répond, et offre %n outil.</numerusform>
            <numerusform>{server} répond, et offre %n outils.</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} does not answer: {why}</source>
        <translation>{server} ne répond pas&#xa0;: {why}</translation>
    </message>
    <message>
        <source>{server} is back.</source>
        <translation>{server} est de retour.</translation>
    </message>
    <message>
        <source>{server} is removed.</source>
        <translation>{server} est supprimé.</translation>
    </message>
</context>
<context>
    <name>ServerConsentPanel</name>
    <message>
        <source>Allow it to run</source>
        <translation>Autoriser son exécution</translation>
    </message>
    <message>
        <source>Allow the connection</source>
        <translation>Autoriser la connexion</translation>
    </message>
    <message>
        <source>It is too long to be shown whole: copy it to read the rest.</source>
        <translation>C’est trop long pour être affiché en entier&#xa0;: copiez-le pour lire la suite.</translation>
    </message>
    <message>
        <source>This address has not been used yet, or was changed since. What agents ask of it is sent there: allow it if you trust it.</source>
        <translation>Cette adresse n’a pas encore été utilisée, ou a changé depuis. Ce que les agents lui demandent y est envoyé&#xa0;: autorisez-la si vous lui faites confiance.</translation>
    </message>
    <message>
        <source>This program has not run yet, or was changed since. It runs with your rights and can do whatever you can: allow it if you know where it comes from.</source>
        <translation>Ce programme n’a pas encore été exécuté, ou a changé depuis. Il a vos droits et peut faire tout ce que vous pouvez faire&#xa0;: autorisez-le si vous savez d’où il vient.</translation>
    </message>
    <message>
        <source>What will run</source>
        <translation>Ce qui sera exécuté</translation>
    </message>
</context>
<context>
    <name>ServerFailurePanel</name>
    <message>
        <source>Details</source>
        <translation>Détails</translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>A program</source>
        <translation>Un programme</translation>
    </message>
    <message>
        <source>Add a header</source>
        <translation>Ajouter un en-tête</translation>
    </message>
    <message>
        <source>Add a variable</source>
        <translation>Ajouter une variable</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>An address</source>
        <translation>Une adresse</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Arguments</translation>
    </message>
    <message>
        <source>As its documentation says: it often ends with /mcp.</source>
        <translation>Comme l’indique sa documentation&#xa0;: elle se termine souvent par /mcp.</translation>
    </message>
    <message>
        <source>Call limit</source>
        <translation>Limite d’un appel</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Edit server</source>
        <translation>Modifier le serveur</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Environnement</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>En-tête</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>En-têtes</translation>
    </message>
    <message>
        <source>How it is reached</source>
        <translation>Comment l’atteindre</translation>
    </message>
    <message>
        <source>In seconds, for one call of a tool.</source>
        <translation>En secondes, pour un appel d’outil.</translation>
    </message>
    <message>
        <source>In seconds, until it has told its tools.</source>
        <translation>En secondes, jusqu’à ce qu’il ait indiqué ses outils.</translation>
    </message>
    <message>
        <source>In the same way. They are not offered.</source>
        <translation>De la même façon. Ils ne sont pas proposés.</translation>
    </message>
    <message>
        <source>May stay empty.</source>
        <translation>Peut rester vide.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Names, with commas between; * is any. Empty: all.</source>
        <translation>Des noms séparés par des virgules&#x202f;; * vaut pour tout. Vide&#xa0;: tous.</translation>
    </message>
    <message>
        <source>New server</source>
        <translation>Nouveau serveur</translation>
    </message>
    <message>
        <source>One a line; one that is empty or has a line break, in double quotes.</source>
        <translation>Un par ligne&#x202f;; s’il est vide ou contient un saut de ligne, entre guillemets droits.</translation>
    </message>
    <message>
        <source>Only these tools</source>
        <translation>Seulement ces outils</translation>
    </message>
    <message>
        <source>Save server</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Start it with the app</source>
        <translation>Le démarrer avec l’application</translation>
    </message>
    <message>
        <source>Start limit</source>
        <translation>Limite du démarrage</translation>
    </message>
    <message>
        <source>The program alone, such as npx, uvx or docker.</source>
        <translation>Le programme seul, comme npx, uvx ou docker.</translation>
    </message>
    <message>
        <source>Values go to the keyring, if this system has one.</source>
        <translation>Les valeurs vont dans le trousseau, si ce système en a un.</translation>
    </message>
    <message>
        <source>Variable</source>
        <translation>Variable</translation>
    </message>
    <message>
        <source>Without these tools</source>
        <translation>Sans ces outils</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>Dossier de travail</translation>
    </message>
    <message>
        <source>as usual</source>
        <translation>habituelle</translation>
    </message>
    <message>
        <source>“{name}” stands here twice.</source>
        <translation>«&#xa0;{name}&#xa0;» figure ici deux fois.</translation>
    </message>
</context>
<context>
    <name>ServerImport</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>It cannot be used as it is. Nothing was added.</source>
        <translation>Elle ne peut pas être utilisée telle quelle. Rien n’a été ajouté.</translation>
    </message>
    <message>
        <source>Nothing runs before you allow it.</source>
        <translation>Rien ne s’exécute avant que vous l’ayez autorisé.</translation>
    </message>
    <message>
        <source>Values are needed from you, below.</source>
        <translation>Des valeurs sont à donner, ci-dessous.</translation>
    </message>
</context>
<context>
    <name>ServerLogPanel</name>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Nothing yet: what it says on its standard error is written down here.</source>
        <translation>Rien pour le moment&#xa0;: ce qu’il écrit sur son erreur standard est noté ici.</translation>
    </message>
</context>
<context>
    <name>ServerOffers</name>
    <message>
        <source>The prompt has content that cannot be put into a message: {kinds}</source>
        <translation>Le prompt a un contenu qui ne peut pas aller dans un message&#xa0;: {kinds}</translation>
    </message>
</context>
<context>
    <name>ServerPicker</name>
    <message>
        <source>All servers, also those to come</source>
        <translation>Tous les serveurs, aussi ceux à venir</translation>
    </message>
    <message>
        <source>{server} (not there any more)</source>
        <translation>{server} (n’existe plus)</translation>
    </message>
</context>
<context>
    <name>ServerPreviewList</name>
    <message numerus="yes">
        <source>%n server(s) were understood.</source>
        <translation>
            <numerusform>%n serveur a été reconnu.</numerusform>
            <numerusform>%n serveurs ont été reconnus.</numerusform>
        </translation>
    </message>
    <message>
        <source>A value is needed.</source>
        <translation>Une valeur est nécessaire.</translation>
    </message>
    <message numerus="yes">
        <source>Add %n server(s)</source>
        <translation>
            <numerusform>Ajouter %n serveur</numerusform>
            <numerusform>Ajouter %n serveurs</numerusform>
        </translation>
    </message>
    <message>
        <source>Kept as a secret.</source>
        <translation>Gardée comme secret.</translation>
    </message>
    <message>
        <source>Not set here. It may stay empty if it is set when the server starts.</source>
        <translation>Non définie ici. Elle peut rester vide si elle est définie quand le serveur démarre.</translation>
    </message>
</context>
<context>
    <name>ServerPreviewRow</name>
    <message>
        <source>Add it with a number</source>
        <translation>L’ajouter avec un numéro</translation>
    </message>
    <message>
        <source>Replace the other</source>
        <translation>Remplacer l’autre</translation>
    </message>
    <message>
        <source>The name {name} is taken</source>
        <translation>Le nom {name} est pris</translation>
    </message>
</context>
<context>
    <name>ServerRow</name>
    <message numerus="yes">
        <source>%n call(s)</source>
        <translation>
            <numerusform>%n appel</numerusform>
            <numerusform>%n appels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>%n laissé de côté</numerusform>
            <numerusform>%n laissés de côté</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n outil</numerusform>
            <numerusform>%n outils</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Cancel the test of {name}</source>
        <translation>Annuler le test de {name}</translation>
    </message>
    <message>
        <source>Connecting, for {time}…</source>
        <translation>Connexion, depuis {time}…</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Connexion…</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>Modifier {name}</translation>
    </message>
    <message>
        <source>Hide log</source>
        <translation>Masquer le journal</translation>
    </message>
    <message>
        <source>Hide the log of {name}</source>
        <translation>Masquer le journal de {name}</translation>
    </message>
    <message>
        <source>Hide the tools of {name}</source>
        <translation>Masquer les outils de {name}</translation>
    </message>
    <message>
        <source>Hide tools</source>
        <translation>Masquer les outils</translation>
    </message>
    <message>
        <source>Leave it on</source>
        <translation>Le laisser activé</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Activé</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Supprimer {name}</translation>
    </message>
    <message>
        <source>Show the log of {name}</source>
        <translation>Afficher le journal de {name}</translation>
    </message>
    <message>
        <source>Show the tools of {name}</source>
        <translation>Afficher les outils de {name}</translation>
    </message>
    <message>
        <source>Switch it off</source>
        <translation>Le désactiver</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Tester</translation>
    </message>
    <message>
        <source>Test {name}</source>
        <translation>Tester {name}</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>half of them within {p50}, 95% within {p95}</source>
        <translation>la moitié en {p50}, 95&#x202f;% en {p95}</translation>
    </message>
    <message>
        <source>no tools</source>
        <translation>aucun outil</translation>
    </message>
    <message>
        <source>tried again in {time}, or when you test it</source>
        <translation>nouvel essai dans {time}, ou quand vous le testez</translation>
    </message>
    <message>
        <source>{name} is on</source>
        <translation>{name} est activé</translation>
    </message>
</context>
<context>
    <name>ServerSignInPanel</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Cancel the sign-in to {name}</source>
        <translation>Annuler la connexion à {name}</translation>
    </message>
    <message>
        <source>It asks who you are. You sign in at its own page, in the browser.</source>
        <translation>Il demande qui vous êtes. Vous vous connectez sur sa propre page, dans le navigateur.</translation>
    </message>
    <message>
        <source>Sign in</source>
        <translation>Se connecter</translation>
    </message>
    <message>
        <source>Sign in on the page that has opened in the browser…</source>
        <translation>Connectez-vous sur la page ouverte dans le navigateur…</translation>
    </message>
    <message>
        <source>Sign in to {name}</source>
        <translation>Se connecter à {name}</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>Se déconnecter</translation>
    </message>
    <message>
        <source>Sign out of {name}</source>
        <translation>Se déconnecter de {name}</translation>
    </message>
</context>
<context>
    <name>ServerToolsModel</name>
    <message>
        <source>Always allow</source>
        <translation>Toujours autoriser</translation>
    </message>
    <message>
        <source>Approval</source>
        <translation>Approbation</translation>
    </message>
    <message>
        <source>As the mode says</source>
        <translation>Selon le mode</translation>
    </message>
    <message>
        <source>As the server</source>
        <translation>Comme le serveur</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Demander</translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>Risque</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Outil</translation>
    </message>
    <message>
        <source>high</source>
        <translation>élevé</translation>
    </message>
    <message>
        <source>low, only reads</source>
        <translation>faible, lit seulement</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>moyen</translation>
    </message>
</context>
<context>
    <name>ServerToolsPanel</name>
    <message numerus="yes">
        <source>%n chosen tool(s)</source>
        <translation>
            <numerusform>%n outil choisi</numerusform>
            <numerusform>%n outils choisis</numerusform>
        </translation>
    </message>
    <message>
        <source>All tools of {server}</source>
        <translation>Tous les outils de {server}</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Autoriser</translation>
    </message>
    <message>
        <source>As the mode says</source>
        <translation>Selon le mode</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Demander</translation>
    </message>
    <message>
        <source>Changed, or not checked here: {tools}</source>
        <translation>Modifié, ou pas vérifié ici&#xa0;: {tools}</translation>
    </message>
    <message>
        <source>Choose one or more of the list.</source>
        <translation>Choisissez-en un ou plusieurs dans la liste.</translation>
    </message>
    <message>
        <source>Chosen tools</source>
        <translation>Outils choisis</translation>
    </message>
    <message>
        <source>Left out, since they are of no use here: {tools}</source>
        <translation>Laissés de côté, car inutilisables ici&#xa0;: {tools}</translation>
    </message>
    <message>
        <source>Search tools</source>
        <translation>Rechercher des outils</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>What is set for a tool wins over what is set for all.</source>
        <translation>Ce qui vaut pour un outil l’emporte sur ce qui vaut pour tous.</translation>
    </message>
</context>
<context>
    <name>ServerVariablesPanel</name>
    <message>
        <source>A value is needed.</source>
        <translation>Une valeur est nécessaire.</translation>
    </message>
    <message>
        <source>Fill in what {name} needs</source>
        <translation>Donner ce qu’il faut à {name}</translation>
    </message>
    <message>
        <source>Fill in…</source>
        <translation>Compléter…</translation>
    </message>
    <message>
        <source>It is kept with the server, as a secret if this system can.</source>
        <translation>Elle est gardée avec le serveur, comme secret si ce système le permet.</translation>
    </message>
    <message>
        <source>Use these values</source>
        <translation>Utiliser ces valeurs</translation>
    </message>
</context>
<context>
    <name>Servers</name>
    <message>
        <source>A header has a name of letters, digits and hyphens, and a value on one line.</source>
        <translation>Un en-tête a un nom fait de lettres, de chiffres et de tirets, et une valeur sur une ligne.</translation>
    </message>
    <message>
        <source>A list of texts was expected.</source>
        <translation>Une liste de textes était attendue.</translation>
    </message>
    <message>
        <source>A list was expected.</source>
        <translation>Une liste était attendue.</translation>
    </message>
    <message>
        <source>A name has 1 to 64 characters that can be shown.</source>
        <translation>Un nom a de 1 à 64 caractères affichables.</translation>
    </message>
    <message>
        <source>A number of seconds was expected.</source>
        <translation>Un nombre de secondes était attendu.</translation>
    </message>
    <message>
        <source>A text was expected.</source>
        <translation>Un texte était attendu.</translation>
    </message>
    <message>
        <source>A variable has a name without “=”, and a value of at most 20,000 characters.</source>
        <translation>Une variable a un nom sans «&#xa0;=&#xa0;» et une valeur d’au plus 20&#x202f;000 caractères.</translation>
    </message>
    <message>
        <source>Address: {url}</source>
        <translation>Adresse&#xa0;: {url}</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://.</source>
        <translation>Une adresse commence par http:// ou https://.</translation>
    </message>
    <message>
        <source>An argument that was kept as a secret has moved: write it again.</source>
        <translation>Un argument conservé comme secret a changé de place&#xa0;: saisissez-le de nouveau.</translation>
    </message>
    <message>
        <source>An object with a server for each name was expected.</source>
        <translation>Un objet avec un serveur pour chaque nom était attendu.</translation>
    </message>
    <message>
        <source>An object with a text for each name was expected.</source>
        <translation>Un objet avec un texte pour chaque nom était attendu.</translation>
    </message>
    <message>
        <source>An object with an id was expected.</source>
        <translation>Un objet avec un «&#xa0;id&#xa0;» était attendu.</translation>
    </message>
    <message>
        <source>Another server has this name.</source>
        <translation>Un autre serveur porte ce nom.</translation>
    </message>
    <message>
        <source>Command: {command}</source>
        <translation>Commande&#xa0;: {command}</translation>
    </message>
    <message>
        <source>Edit it and choose another folder.</source>
        <translation>Modifiez-le et choisissez un autre dossier.</translation>
    </message>
    <message>
        <source>Edit it, or test it again.</source>
        <translation>Modifiez-le, ou testez-le de nouveau.</translation>
    </message>
    <message>
        <source>Environment: {names}</source>
        <translation>Environnement&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Exit code: {number}</source>
        <translation>Code de sortie&#xa0;: {number}</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Fill them in, or set them in the environment that Metier starts in.</source>
        <translation>Complétez-les, ou définissez-les dans l’environnement où Metier démarre.</translation>
    </message>
    <message>
        <source>Folder: {folder}</source>
        <translation>Dossier&#xa0;: {folder}</translation>
    </message>
    <message>
        <source>Headers: {names}</source>
        <translation>En-têtes&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Install it, or write its whole path. Programs are looked for in the folders of PATH, which are below; apps that are started from the desktop may have others than a terminal.</source>
        <translation>Installez-le, ou indiquez son chemin complet. Les programmes sont cherchés dans les dossiers de PATH, indiqués ci-dessous&#x202f;; une application lancée depuis le bureau peut en avoir d’autres qu’un terminal.</translation>
    </message>
    <message>
        <source>It answers, but not as an MCP server does.</source>
        <translation>Il répond, mais pas comme un serveur MCP.</translation>
    </message>
    <message>
        <source>It asks that these need no consent: {names}. That is not taken over.</source>
        <translation>Elle demande que ceci se passe d’accord&#xa0;: {names}. Ce n’est pas repris.</translation>
    </message>
    <message>
        <source>It asks who you are.</source>
        <translation>Il demande qui vous êtes.</translation>
    </message>
    <message>
        <source>It closed the connection.</source>
        <translation>Il a fermé la connexion.</translation>
    </message>
    <message>
        <source>It did not answer within {time} of its start.</source>
        <translation>Il n’a pas répondu dans les {time} suivant son démarrage.</translation>
    </message>
    <message>
        <source>It ended at its start, with exit code {number}.</source>
        <translation>Il s’est arrêté dès son démarrage, avec le code de sortie {number}.</translation>
    </message>
    <message>
        <source>It ended by itself, with exit code {number}.</source>
        <translation>Il s’est arrêté de lui-même, avec le code de sortie {number}.</translation>
    </message>
    <message>
        <source>It is neither UTF-8 nor UTF-16 text: save it as UTF-8.</source>
        <translation>Ce n’est un texte ni en UTF-8 ni en UTF-16&#xa0;: enregistrez-le en UTF-8.</translation>
    </message>
    <message>
        <source>It is started again when it is needed. Its last lines may say why it ended.</source>
        <translation>Il est redémarré au besoin. Ses dernières lignes disent peut-être pourquoi il s’est arrêté.</translation>
    </message>
    <message>
        <source>It is too long.</source>
        <translation>Il est trop long.</translation>
    </message>
    <message>
        <source>It looks like {format} and cannot be read: {message}</source>
        <translation>Cela ressemble à ceci&#xa0;: {format}, et ne peut être lu&#xa0;: {message}</translation>
    </message>
    <message>
        <source>It needs values that are not set: {names}.</source>
        <translation>Il lui faut des valeurs qui ne sont pas définies&#xa0;: {names}.</translation>
    </message>
    <message>
        <source>It refused the connection, with HTTP {status}.</source>
        <translation>Il a refusé la connexion, avec HTTP {status}.</translation>
    </message>
    <message>
        <source>It refused the connection.</source>
        <translation>Il a refusé la connexion.</translation>
    </message>
    <message>
        <source>It speaks a version of the protocol that is not known here.</source>
        <translation>Il parle une version du protocole inconnue ici.</translation>
    </message>
    <message>
        <source>It was changed meanwhile: look at what will run again.</source>
        <translation>Il a été modifié entre-temps&#xa0;: regardez de nouveau ce qui sera exécuté.</translation>
    </message>
    <message>
        <source>It was ended by signal {number}.</source>
        <translation>Il a été arrêté par le signal {number}.</translation>
    </message>
    <message>
        <source>Its file of variables cannot be read: {path}</source>
        <translation>Son fichier de variables est illisible&#xa0;: {path}</translation>
    </message>
    <message>
        <source>Its last lines and its documentation may say what it needs.</source>
        <translation>Ses dernières lignes et sa documentation disent peut-être ce qu’il lui faut.</translation>
    </message>
    <message>
        <source>Its last lines, below, often say what is missing: a key, a file, an argument.</source>
        <translation>Ses dernières lignes, ci-dessous, disent souvent ce qui manque&#xa0;: une clé, un fichier, un argument.</translation>
    </message>
    <message>
        <source>Its last lines:</source>
        <translation>Ses dernières lignes&#xa0;:</translation>
    </message>
    <message>
        <source>Its working folder is not there: {folder}</source>
        <translation>Son dossier de travail n’existe pas&#xa0;: {folder}</translation>
    </message>
    <message>
        <source>Last failure: {when}</source>
        <translation>Dernier échec&#xa0;: {when}</translation>
    </message>
    <message>
        <source>Left out: an object was expected.</source>
        <translation>Laissé de côté&#xa0;: un objet était attendu.</translation>
    </message>
    <message>
        <source>Left out: another entry has the same name.</source>
        <translation>Laissé de côté&#xa0;: une autre entrée a le même nom.</translation>
    </message>
    <message>
        <source>Left out: it is a part of the other app, not a server.</source>
        <translation>Laissé de côté&#xa0;: c’est une partie de l’autre application, pas un serveur.</translation>
    </message>
    <message>
        <source>Left out: the other app fetches it ({uses}). Paste what its documentation has.</source>
        <translation>Laissé de côté&#xa0;: l’autre application le télécharge ({uses}). Collez ce que donne sa documentation.</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>Ligne {line}, colonne {column}</translation>
    </message>
    <message>
        <source>More than {most} values are asked for.</source>
        <translation>Plus de {most} valeurs sont demandées.</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>Non démarré</translation>
    </message>
    <message>
        <source>Not understood and ignored: {names}</source>
        <translation>Non compris et ignoré&#xa0;: {names}</translation>
    </message>
    <message>
        <source>Nothing answers at its address.</source>
        <translation>Rien ne répond à son adresse.</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Désactivé</translation>
    </message>
    <message>
        <source>Only these of its tools are offered: {names}</source>
        <translation>De ses outils, seuls ceux-ci sont proposés&#xa0;: {names}</translation>
    </message>
    <message>
        <source>PATH: {path}</source>
        <translation>PATH&#xa0;: {path}</translation>
    </message>
    <message>
        <source>Paused after several failures</source>
        <translation>En pause après plusieurs échecs</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En marche</translation>
    </message>
    <message>
        <source>See in its documentation which command or address starts the MCP server.</source>
        <translation>Voyez dans sa documentation quelle commande ou quelle adresse mène au serveur MCP.</translation>
    </message>
    <message>
        <source>See whether it is a program that you may run.</source>
        <translation>Vérifiez que c’est un programme que vous pouvez exécuter.</translation>
    </message>
    <message>
        <source>See whether it runs, and whether the address is right.</source>
        <translation>Vérifiez qu’il est en marche et que l’adresse est juste.</translation>
    </message>
    <message>
        <source>See whether the address is right, and whether a header has a valid key.</source>
        <translation>Vérifiez que l’adresse est juste et qu’un en-tête contient une clé valable.</translation>
    </message>
    <message>
        <source>Sign in to it at Settings, MCP servers.</source>
        <translation>Connectez-vous dans Réglages, Serveurs MCP.</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Démarrage</translation>
    </message>
    <message>
        <source>Test it again: a first start may have to download. Or edit it and give it more time.</source>
        <translation>Testez-le de nouveau&#xa0;: un premier démarrage doit parfois télécharger. Ou modifiez-le et donnez-lui plus de temps.</translation>
    </message>
    <message>
        <source>The SSE transport is not spoken here; give the address for streamable HTTP.</source>
        <translation>Le transport SSE n’est pas pris en charge&#x202f;; donnez l’adresse pour «&#xa0;streamable HTTP&#xa0;».</translation>
    </message>
    <message>
        <source>The file of keys cannot be read or written, so nothing was changed.</source>
        <translation>Le fichier des clés ne peut pas être lu ou écrit&#xa0;: rien n’a été changé.</translation>
    </message>
    <message>
        <source>The keyring does not answer, so nothing was changed.</source>
        <translation>Le trousseau ne répond pas&#xa0;: rien n’a été changé.</translation>
    </message>
    <message>
        <source>The long dash of {names} was read as two short ones.</source>
        <translation>Le tiret long de {names} a été lu comme deux tirets courts.</translation>
    </message>
    <message>
        <source>The whole text</source>
        <translation>Tout le texte</translation>
    </message>
    <message>
        <source>There are a command and an address; one of them was expected.</source>
        <translation>Il y a une commande et une adresse&#x202f;; une seule des deux était attendue.</translation>
    </message>
    <message>
        <source>There are more than {most} servers.</source>
        <translation>Il y a plus de {most} serveurs.</translation>
    </message>
    <message>
        <source>There are no servers in it: one of {names} was expected.</source>
        <translation>Il ne contient pas de serveurs&#xa0;: l’un de {names} était attendu.</translation>
    </message>
    <message>
        <source>There is neither a command nor an address.</source>
        <translation>Il n’y a ni commande ni adresse.</translation>
    </message>
    <message>
        <source>There is no program “{command}”.</source>
        <translation>Il n’y a pas de programme «&#xa0;{command}&#xa0;».</translation>
    </message>
    <message>
        <source>There is no server in it.</source>
        <translation>Il ne contient aucun serveur.</translation>
    </message>
    <message>
        <source>These of its tools are not offered: {names}</source>
        <translation>De ses outils, ceux-ci ne sont pas proposés&#xa0;: {names}</translation>
    </message>
    <message>
        <source>These paths need a working folder to start at: {names}</source>
        <translation>Ces chemins ont besoin d’un dossier de travail&#xa0;: {names}</translation>
    </message>
    <message>
        <source>These paths start at {folder}: {names}</source>
        <translation>Ces chemins partent de {folder}&#xa0;: {names}</translation>
    </message>
    <message>
        <source>This is no object with servers, no command line and no address.</source>
        <translation>Ce n’est ni un objet avec des serveurs, ni une ligne de commande, ni une adresse.</translation>
    </message>
    <message>
        <source>Update Metier, or use another version of the server.</source>
        <translation>Mettez Metier à jour, ou utilisez une autre version du serveur.</translation>
    </message>
    <message>
        <source>Waits for you</source>
        <translation>Vous attend</translation>
    </message>
    <message>
        <source>Waits for your sign-in</source>
        <translation>Attend votre connexion</translation>
    </message>
    <message>
        <source>Write the command that starts it.</source>
        <translation>Indiquez la commande qui le démarre.</translation>
    </message>
    <message>
        <source>{count} variables are from {path}.</source>
        <translation>{count} variables viennent de {path}.</translation>
    </message>
    <message>
        <source>{names} can make other code run than the command names. Allow only values you know.</source>
        <translation>{names}&#xa0;: peut faire exécuter un autre code que celui de la commande. N’autorisez que des valeurs que vous connaissez.</translation>
    </message>
    <message>
        <source>“stdio” or “http” was expected, not {kind}.</source>
        <translation>«&#xa0;stdio&#xa0;» ou «&#xa0;http&#xa0;» était attendu, non {kind}.</translation>
    </message>
    <message>
        <source>“{command}” could not be started.</source>
        <translation>«&#xa0;{command}&#xa0;» n’a pas pu être démarré.</translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message numerus="yes">
        <source>%n server(s) are added. Each waits for you to allow it.</source>
        <translation>
            <numerusform>%n serveur est ajouté. Il attend votre autorisation.</numerusform>
            <numerusform>%n serveurs sont ajoutés. Chacun attend votre autorisation.</numerusform>
        </translation>
    </message>
    <message>
        <source>An MCP server offers tools to agents and templates: a program on this computer, or an address. None runs before you have seen what it is, and allowed it.</source>
        <translation>Un serveur MCP offre des outils aux agents et aux gabarits&#xa0;: c’est un programme sur cet ordinateur, ou une adresse. Aucun n’est exécuté avant que vous ayez vu ce qu’il est, et l’ayez autorisé.</translation>
    </message>
    <message>
        <source>Import from…</source>
        <translation>Importer de…</translation>
    </message>
    <message>
        <source>New server</source>
        <translation>Nouveau serveur</translation>
    </message>
    <message>
        <source>Paste a configuration…</source>
        <translation>Coller une configuration…</translation>
    </message>
    <message>
        <source>There is none yet. Add one, or paste the configuration that its documentation has for other apps.</source>
        <translation>Il n’y en a pas encore. Ajoutez-en un, ou collez la configuration que sa documentation donne pour d’autres applications.</translation>
    </message>
    <message>
        <source>{server} is saved, and runs once you allow it.</source>
        <translation>{server} est enregistré, et sera exécuté dès que vous l’autoriserez.</translation>
    </message>
    <message>
        <source>{server} is saved.</source>
        <translation>{server} est enregistré.</translation>
    </message>
</context>
<context>
    <name>SettingWords</name>
    <message>
        <source>${amount}</source>
        <translation>{amount} $</translation>
    </message>
    <message>
        <source>After the time limit</source>
        <translation>Après le délai</translation>
    </message>
    <message>
        <source>Always confirm high risk</source>
        <translation>Toujours confirmer les risques élevés</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Approuver</translation>
    </message>
    <message>
        <source>Ask about MCP servers</source>
        <translation>Demander pour les serveurs MCP</translation>
    </message>
    <message>
        <source>Ask about files</source>
        <translation>Demander pour les fichiers</translation>
    </message>
    <message>
        <source>Ask about sub-agents</source>
        <translation>Demander pour les sous-agents</translation>
    </message>
    <message>
        <source>Ask about the database</source>
        <translation>Demander pour la base de données</translation>
    </message>
    <message>
        <source>Ask about tools</source>
        <translation>Demander pour les outils</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Rappeler</translation>
    </message>
    <message>
        <source>Ask when an agent has used its rounds</source>
        <translation>Demander quand un agent a utilisé ses tours</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatique</translation>
    </message>
    <message>
        <source>Automatic mode: operations will be approved without confirmation. Make sure that you understand the security risks.</source>
        <translation>Mode automatique&#xa0;: les opérations seront approuvées sans confirmation. Assurez-vous de comprendre les risques de sécurité.</translation>
    </message>
    <message>
        <source>Automatic mode: operations will be approved without confirmation. Multi-workflow mode (up to {count} at once) will be available. Make sure that you understand the security risks.</source>
        <translation>Mode automatique&#xa0;: les opérations seront approuvées sans confirmation. Le mode multi-workflow (jusqu’à {count} simultanés) sera disponible. Assurez-vous de comprendre les risques de sécurité.</translation>
    </message>
    <message>
        <source>Calculating, waiting, running code, and all others.</source>
        <translation>Calculer, attendre, exécuter du code, et tous les autres.</translation>
    </message>
    <message>
        <source>Calls that only read are never asked about.</source>
        <translation>Les appels qui ne font que lire ne demandent jamais votre accord.</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Entrée</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Sombre</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>Every call of a tool that a server offers.</source>
        <translation>Chaque appel d’un outil qu’un serveur propose.</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Tout</translation>
    </message>
    <message>
        <source>How long you have to answer.</source>
        <translation>Le temps dont vous disposez pour répondre.</translation>
    </message>
    <message>
        <source>How often the text of a running answer is written to the disk: a crash loses at most that much.</source>
        <translation>À quel rythme le texte d’une réponse en cours est écrit sur le disque&#xa0;: un plantage en perd au plus autant.</translation>
    </message>
    <message>
        <source>In automatic mode too, you are asked about calls that delete something, change something at an address that is not allowed, or that their MCP server calls destructive.</source>
        <translation>Même en mode automatique, votre accord est demandé pour les appels qui suppriment quelque chose, modifient quelque chose à une adresse non autorisée, ou que leur serveur MCP dit destructeurs.</translation>
    </message>
    <message>
        <source>In dollars. A run that has cost as much asks before it goes on, with its sub-agents and the runs that it started. Models without a price are not counted.</source>
        <translation>En dollars. Une exécution qui a coûté autant, avec ses sous-agents et les exécutions qu’elle a lancées, demande avant de continuer. Les modèles sans prix ne sont pas comptés.</translation>
    </message>
    <message>
        <source>In the other modes, one workflow runs at a time.</source>
        <translation>Dans les autres modes, un seul workflow s’exécute à la fois.</translation>
    </message>
    <message>
        <source>It is repeated each time the wait has doubled, and daily after that. What has a time limit goes on by itself.</source>
        <translation>Le rappel revient chaque fois que l’attente a doublé, puis chaque jour. Ce qui a un délai continue sans vous.</translation>
    </message>
    <message>
        <source>Keep the audit log for</source>
        <translation>Conserver le journal d’audit</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Langue</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Clair</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Manuel</translation>
    </message>
    <message>
        <source>Manual: low risk needs no approval</source>
        <translation>Manuel&#xa0;: un risque faible ne demande pas votre accord</translation>
    </message>
    <message>
        <source>More wait for their turn, first come, first served.</source>
        <translation>Les suivantes attendent leur tour, dans l’ordre d’arrivée.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Jamais</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Rien</translation>
    </message>
    <message>
        <source>Nothing pulses, slides or fades.</source>
        <translation>Rien ne clignote, ne glisse ni ne s’estompe.</translation>
    </message>
    <message>
        <source>Older entries are deleted for good.</source>
        <translation>Les entrées plus anciennes sont supprimées pour de bon.</translation>
    </message>
    <message>
        <source>Otherwise they wait for you as long as it takes.</source>
        <translation>Sinon, elles vous attendent le temps qu’il faut.</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Questions</translation>
    </message>
    <message>
        <source>Questions and failures</source>
        <translation>Questions et échecs</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>Réduire les animations</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Remind me of an open question after</source>
        <translation>Me rappeler une question ouverte après</translation>
    </message>
    <message>
        <source>Requests have a time limit</source>
        <translation>Les demandes ont un délai</translation>
    </message>
    <message>
        <source>Runs at once</source>
        <translation>Exécutions simultanées</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>Sélectif</translation>
    </message>
    <message>
        <source>Selective: low risk needs no approval</source>
        <translation>Sélectif&#xa0;: un risque faible ne demande pas votre accord</translation>
    </message>
    <message>
        <source>Send a message with</source>
        <translation>Envoyer un message avec</translation>
    </message>
    <message>
        <source>Spending limit of a day</source>
        <translation>Limite de dépense par jour</translation>
    </message>
    <message>
        <source>Spending limit of a run</source>
        <translation>Limite de dépense par exécution</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Système</translation>
    </message>
    <message>
        <source>System follows the colours of your desktop.</source>
        <translation>Système suit les couleurs de votre bureau.</translation>
    </message>
    <message>
        <source>System follows the language of your desktop.</source>
        <translation>Système suit la langue de votre bureau.</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Taille du texte</translation>
    </message>
    <message>
        <source>The change was refused, so the setting stays as it was.</source>
        <translation>Le changement a été refusé, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>The data folder cannot be written to, so the setting stays as it was.</source>
        <translation>Impossible d’écrire dans le dossier des données, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>The database did not answer, so the setting stays as it was.</source>
        <translation>La base de données n’a pas répondu, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>The disk did not take the change, so the setting stays as it was.</source>
        <translation>Le disque n’a pas pris le changement, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>The disk is full, so the setting stays as it was.</source>
        <translation>Le disque est plein, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>The other key begins a new line, as Shift+Enter always does.</source>
        <translation>L’autre touche commence une ligne, comme toujours Maj+Entrée.</translation>
    </message>
    <message>
        <source>The same for all workflows together, from midnight to midnight.</source>
        <translation>La même chose pour tous les workflows ensemble, de minuit à minuit.</translation>
    </message>
    <message>
        <source>The zoom of texts and controls.</source>
        <translation>Le zoom des textes et des contrôles.</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Thème</translation>
    </message>
    <message>
        <source>This value is out of bounds, so the setting stays as it was.</source>
        <translation>Cette valeur est hors limites, le réglage reste donc comme il était.</translation>
    </message>
    <message>
        <source>Time limit of a request</source>
        <translation>Délai d’une demande</translation>
    </message>
    <message>
        <source>Validation mode</source>
        <translation>Mode de validation</translation>
    </message>
    <message>
        <source>What becomes of a call that nobody answered.</source>
        <translation>Ce que devient un appel resté sans réponse.</translation>
    </message>
    <message>
        <source>What changes memories, templates and runs.</source>
        <translation>Ce qui modifie souvenirs, gabarits et exécutions.</translation>
    </message>
    <message>
        <source>What your desktop tells you when this window is not the active one.</source>
        <translation>Ce que votre bureau vous dit quand cette fenêtre n’est pas active.</translation>
    </message>
    <message>
        <source>When an agent wants to start others.</source>
        <translation>Quand un agent veut en lancer d’autres.</translation>
    </message>
    <message>
        <source>Which tool calls wait for your approval.</source>
        <translation>Quels appels d’outils attendent votre approbation.</translation>
    </message>
    <message>
        <source>While you look elsewhere</source>
        <translation>Quand vous regardez ailleurs</translation>
    </message>
    <message>
        <source>Workflows at once in automatic mode</source>
        <translation>Workflows simultanés en mode automatique</translation>
    </message>
    <message>
        <source>Write interval</source>
        <translation>Intervalle d’écriture</translation>
    </message>
    <message>
        <source>Writing files; reading needs no approval.</source>
        <translation>L’écriture de fichiers&#x202f;; la lecture ne demande pas votre accord.</translation>
    </message>
    <message>
        <source>You can let it go on for as many again. Otherwise its run fails.</source>
        <translation>Vous pouvez le laisser continuer pour autant de tours. Sinon, son exécution échoue.</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>aucune limite</translation>
    </message>
    <message>
        <source>off</source>
        <translation>non</translation>
    </message>
    <message>
        <source>on</source>
        <translation>oui</translation>
    </message>
    <message>
        <source>{days} days</source>
        <translation>{days} jours</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} min</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>No setting found</source>
        <translation>Aucun réglage trouvé</translation>
    </message>
    <message>
        <source>Other words may find it.</source>
        <translation>D’autres mots le trouveront peut-être.</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Rechercher</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Tout afficher</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Archived</source>
        <translation>Archivés</translation>
    </message>
    <message>
        <source>Archived workflows are kept here, and can be restored. Press Delete in the list to archive one.</source>
        <translation>Suppr met de côté un workflow de la liste. Il est conservé ici et peut être restauré.</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Back to the workflows</source>
        <translation>Retour aux workflows</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Conversations with agents and runs of templates appear here. Several can run at once.</source>
        <translation>Chaque conversation avec un agent et chaque exécution d’un gabarit figure ici. Plusieurs peuvent tourner à la fois.</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Failed: {message}</source>
        <translation>Échec&#xa0;: {message}</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Interrompu</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Manuel</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>À votre attention</translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation>Nouveau workflow</translation>
    </message>
    <message>
        <source>No workflow has “{text}” in its name.</source>
        <translation>Aucun workflow n’a «&#xa0;{text}&#xa0;» dans son nom.</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Aucun workflow pour l’instant</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>Pas commencé</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Rien trouvé</translation>
    </message>
    <message>
        <source>Nothing is archived</source>
        <translation>Aucune archive</translation>
    </message>
    <message>
        <source>Paused: the storage cannot be written</source>
        <translation>En pause&#xa0;: le stockage n’est pas accessible en écriture</translation>
    </message>
    <message>
        <source>Recently finished</source>
        <translation>Terminés récemment</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>section</comment>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>state</comment>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>Sélectif</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Tout afficher</translation>
    </message>
    <message>
        <source>Step {done}/{steps}</source>
        <translation>Étape&#xa0;{done}/{steps}</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Arrêté</translation>
    </message>
    <message>
        <source>Waiting for a place</source>
        <translation>En attente d’une place</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>archivé</translation>
    </message>
    <message>
        <source>slot {slot}</source>
        <translation>emplacement&#xa0;{slot}</translation>
    </message>
    <message>
        <source>step {done} of {steps}</source>
        <translation>étape&#xa0;{done} sur {steps}</translation>
    </message>
    <message>
        <source>{state}: {tool}</source>
        <translation>{state}&#xa0;: {tool}</translation>
    </message>
</context>
<context>
    <name>SidebarHeader</name>
    <message>
        <source>Collapse the sidebar</source>
        <translation>Réduire la barre latérale</translation>
    </message>
    <message>
        <source>Expand the sidebar</source>
        <translation>Déployer la barre latérale</translation>
    </message>
    <message>
        <source>Find a workflow</source>
        <translation>Rechercher un workflow</translation>
    </message>
</context>
<context>
    <name>SidebarList</name>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
</context>
<context>
    <name>SidebarModel</name>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation>
            <numerusform>%n demande en attente</numerusform>
            <numerusform>%n demandes en attente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflows</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
    <message>
        <source>folded</source>
        <translation>repliée</translation>
    </message>
</context>
<context>
    <name>SignInActions</name>
    <message>
        <source>The browser has not come back in time.</source>
        <translation>Le navigateur n’a pas répondu à temps.</translation>
    </message>
    <message>
        <source>The page has refused it.</source>
        <translation>La page l’a refusé.</translation>
    </message>
    <message>
        <source>The server names no page to sign in: see in its documentation which key it takes.</source>
        <translation>Le serveur n’indique aucune page de connexion&#xa0;: sa documentation dit quelle clé il accepte.</translation>
    </message>
    <message>
        <source>You are not signed in to {server}. {why}</source>
        <translation>Vous n’êtes pas connecté à {server}. {why}</translation>
    </message>
    <message>
        <source>You are signed in to {server}.</source>
        <translation>Vous êtes connecté à {server}.</translation>
    </message>
</context>
<context>
    <name>SlashCommands</name>
    <message>
        <source>Inserts the prompt “{title}”</source>
        <translation>Insère le prompt «&#xa0;{title}&#xa0;»</translation>
    </message>
    <message>
        <source>No template or prompt has this name: sent as text</source>
        <translation>Ceci ne nomme rien&#xa0;: envoyé comme texte</translation>
    </message>
    <message>
        <source>No template or prompt is called “{name}”: sent as text</source>
        <translation>Rien ne s’appelle «&#xa0;{name}&#xa0;»&#xa0;: envoyé comme texte</translation>
    </message>
    <message>
        <source>Starts the template “{title}”</source>
        <translation>Démarre le gabarit «&#xa0;{title}&#xa0;»</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>prompt</translation>
    </message>
    <message>
        <source>server prompt</source>
        <translation>prompt de serveur</translation>
    </message>
    <message>
        <source>template</source>
        <translation>gabarit</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Connect a model</source>
        <translation>Connecter un modèle</translation>
    </message>
    <message>
        <source>Each runs in the background while you look at another. The demo starts three of them on the built-in offline agent: no account, no key, no network.</source>
        <translation>Chacun travaille en arrière-plan pendant que vous en regardez un autre. La démo en lance trois sur l’agent hors ligne intégré&#xa0;: ni compte, ni clé, ni réseau.</translation>
    </message>
    <message>
        <source>It sets the validation mode to automatic, which you can undo, and can be removed without a trace.</source>
        <translation>Elle passe la validation en mode automatique, ce que vous pouvez annuler, et se retire sans laisser de trace.</translation>
    </message>
    <message>
        <source>Let several workflows work for you</source>
        <translation>Faites travailler plusieurs workflows pour vous</translation>
    </message>
    <message>
        <source>New from template</source>
        <translation>Nouveau depuis un gabarit</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>Essayer la démo</translation>
    </message>
    <message>
        <source>Work in a folder…</source>
        <translation>Travailler dans un dossier…</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%n at work: {names}</source>
        <translation>
            <numerusform>%n en cours&#xa0;: {names}</numerusform>
            <numerusform>%n en cours&#xa0;: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n need(s) you</source>
        <translation>
            <numerusform>%n vous attend</numerusform>
            <numerusform>%n vous attendent</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <translation>
            <numerusform>%n en file d’attente</numerusform>
            <numerusform>%n en file d’attente</numerusform>
        </translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Non enregistré</translation>
    </message>
    <message>
        <source>Nothing at work</source>
        <translation>Rien en cours</translation>
    </message>
    <message>
        <source>Open the inbox</source>
        <translation>Ouvrir la boîte de réception</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Enregistré</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Écriture…</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed} jetons/s</translation>
    </message>
    <message>
        <source>{why} What runs is paused, and goes on by itself.</source>
        <translation>{why} Ce qui est en cours est en pause et reprendra tout seul.</translation>
    </message>
</context>
<context>
    <name>StepView</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n échec</numerusform>
            <numerusform>%n échecs</numerusform>
        </translation>
    </message>
    <message>
        <source>attempt {number}</source>
        <translation>tentative {number}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} sur {total}</translation>
    </message>
</context>
<context>
    <name>StorageBanner</name>
    <message>
        <source>Try now</source>
        <translation>Réessayer maintenant</translation>
    </message>
    <message>
        <source>{why} What runs is paused, and goes on by itself.</source>
        <translation>{why} Ce qui est en cours est en pause et reprendra tout seul.</translation>
    </message>
</context>
<context>
    <name>SubAgentView</name>
    <message>
        <source>{count} tokens</source>
        <translation>{count}&#xa0;jetons</translation>
    </message>
</context>
<context>
    <name>SuggestionRow</name>
    <message>
        <source>It is a secret and was not kept: it becomes a field of the input.</source>
        <translation>C’est un secret, il n’a pas été conservé&#xa0;: il devient un champ de l’entrée.</translation>
    </message>
    <message>
        <source>It stands in an earlier result.</source>
        <translation>Elle figure dans un résultat précédent.</translation>
    </message>
    <message>
        <source>It stands in the input of the recording.</source>
        <translation>Elle figure dans l’entrée de l’enregistrement.</translation>
    </message>
    <message>
        <source>Perhaps the same by chance.</source>
        <translation>Peut-être la même par hasard.</translation>
    </message>
    <message>
        <source>Probably right.</source>
        <translation>Probablement juste.</translation>
    </message>
    <message>
        <source>Very likely right.</source>
        <translation>Très probablement juste.</translation>
    </message>
    <message>
        <source>You wrote it: it becomes a field of the input.</source>
        <translation>Vous l’avez écrite&#xa0;: elle devient un champ de l’entrée.</translation>
    </message>
</context>
<context>
    <name>Templates</name>
    <message>
        <source>A text file.</source>
        <translation>Un fichier de texte.</translation>
    </message>
    <message>
        <source>Another text file.</source>
        <translation>Un autre fichier de texte.</translation>
    </message>
    <message>
        <source>Asks three agents the same question side by side and puts their answers under each other. The offline agent answers to commands such as: say 40 words</source>
        <translation>Pose la même question à trois agents en parallèle et met leurs réponses l’une sous l’autre. L’agent hors ligne répond à des commandes telles que&#xa0;: say 40 words</translation>
    </message>
    <message>
        <source>Counts lines, words and TODOs of every text file in a folder and writes report.md there.</source>
        <translation>Compte les lignes, les mots et les TODOs de chaque fichier de texte d’un dossier et y écrit report.md.</translation>
    </message>
    <message>
        <source>File to write</source>
        <translation>Fichier à écrire</translation>
    </message>
    <message>
        <source>First file</source>
        <translation>Premier fichier</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Dossier</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Question</translation>
    </message>
    <message>
        <source>Reads two text files at the same time and writes their lines into a third, each line once.</source>
        <translation>Lit deux fichiers de texte en même temps et écrit leurs lignes dans un troisième, chaque ligne une seule fois.</translation>
    </message>
    <message>
        <source>Second file</source>
        <translation>Second fichier</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>The file to write; it is replaced.</source>
        <translation>Le fichier à écrire&#x202f;; son contenu est remplacé.</translation>
    </message>
    <message>
        <source>The folder to report on.</source>
        <translation>Le dossier dont faire le rapport.</translation>
    </message>
    <message>
        <source>What the note says.</source>
        <translation>Ce que dit la note.</translation>
    </message>
    <message>
        <source>What to ask, for example: say 40 words</source>
        <translation>Ce qu’il faut demander, par exemple&#xa0;: say 40 words</translation>
    </message>
    <message>
        <source>Where note.md goes.</source>
        <translation>Où va note.md.</translation>
    </message>
    <message>
        <source>Writes a note into a folder once a person has looked at it.</source>
        <translation>Écrit une note dans un dossier une fois qu’une personne l’a regardée.</translation>
    </message>
</context>
<context>
    <name>TextField</name>
    <message>
        <source>This has to be a date and a time, such as {example}.</source>
        <translation>Il faut une date et une heure, par exemple {example}.</translation>
    </message>
    <message>
        <source>This has to be a date, such as {example}.</source>
        <translation>Il faut une date, par exemple {example}.</translation>
    </message>
    <message>
        <source>This has to be an address, such as {example}.</source>
        <translation>Il faut une adresse, par exemple {example}.</translation>
    </message>
    <message>
        <source>This has to be an e-mail address.</source>
        <translation>Il faut une adresse e-mail.</translation>
    </message>
    <message>
        <source>This is too long: at most {number} characters.</source>
        <translation>C’est trop long&#xa0;: {number} caractères au plus.</translation>
    </message>
    <message>
        <source>This is too short: at least {number} characters.</source>
        <translation>C’est trop court&#xa0;: {number} caractères au moins.</translation>
    </message>
</context>
<context>
    <name>ThoughtView</name>
    <message>
        <source>Thinking</source>
        <translation>Réfléchit</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Réflexion</translation>
    </message>
</context>
<context>
    <name>TimeLeft</name>
    <message numerus="yes">
        <source>%n day(s)</source>
        <translation>
            <numerusform>%n&#xa0;jour</numerusform>
            <numerusform>%n&#xa0;jours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s)</source>
        <translation>
            <numerusform>%n&#xa0;heure</numerusform>
            <numerusform>%n&#xa0;heures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n&#xa0;minute</numerusform>
            <numerusform>%n&#xa0;minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n second(s)</source>
        <translation>
            <numerusform>%n&#xa0;seconde</numerusform>
            <numerusform>%n&#xa0;secondes</numerusform>
        </translation>
    </message>
    <message>
        <source>Its time is over.</source>
        <translation>Le délai est écoulé.</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>moins d’une minute</translation>
    </message>
    <message>
        <source>{more} and {less}</source>
        <translation>{more} et {less}</translation>
    </message>
    <message>
        <source>{time} left, then it goes on as if you had approved.</source>
        <translation>Encore {time}, puis la suite se fait comme si vous aviez approuvé.</translation>
    </message>
    <message>
        <source>{time} left, then it goes on without an answer.</source>
        <translation>Encore {time}, puis la suite se fait sans réponse.</translation>
    </message>
    <message>
        <source>{time} left, then it is rejected.</source>
        <translation>Encore {time}, puis la demande est refusée.</translation>
    </message>
    <message>
        <source>{time} left, then the call is approved without you.</source>
        <translation>Encore {time}, puis l’appel est approuvé sans vous.</translation>
    </message>
    <message>
        <source>{time} left, then the call is rejected.</source>
        <translation>Encore {time}, puis l’appel est refusé.</translation>
    </message>
    <message>
        <source>{time} left, then you are asked again.</source>
        <translation>Encore {time}, puis la question vous est posée à nouveau.</translation>
    </message>
    <message>
        <source>{time} left.</source>
        <translation>Encore {time}.</translation>
    </message>
</context>
<context>
    <name>ToastOverlay</name>
    <message>
        <source>Notifications</source>
        <translation>Notifications</translation>
    </message>
</context>
<context>
    <name>Toasts</name>
    <message>
        <source>Archived</source>
        <translation>Archivé</translation>
    </message>
    <message>
        <source>Automatic mode is on</source>
        <translation>Le mode automatique est activé</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Supprimé</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Ends at {time}</source>
        <translation>Prend fin à {time}</translation>
    </message>
    <message>
        <source>Ends in less than a minute</source>
        <translation>Prend fin dans moins d’une minute</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>Exporté</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importé</translation>
    </message>
    <message>
        <source>In manual mode every operation waits for your approval.</source>
        <translation>En mode manuel, chaque opération attend votre accord.</translation>
    </message>
    <message>
        <source>In selective mode some operations wait for your approval.</source>
        <translation>En mode sélectif, certaines opérations attendent votre accord.</translation>
    </message>
    <message>
        <source>Information</source>
        <translation>Information</translation>
    </message>
    <message>
        <source>It was deleted meanwhile. The list has those that are left.</source>
        <translation>Il a été supprimé entre-temps. La liste contient ceux qui restent.</translation>
    </message>
    <message>
        <source>Needs your answer</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Non enregistré</translation>
    </message>
    <message>
        <source>Nothing to export yet</source>
        <translation>Rien à exporter pour l’instant</translation>
    </message>
    <message>
        <source>Nothing to record yet</source>
        <translation>Rien à enregistrer pour l’instant</translation>
    </message>
    <message>
        <source>One workflow at a time.</source>
        <translation>Un seul workflow à la fois.</translation>
    </message>
    <message>
        <source>One workflow is running.</source>
        <translation>Un workflow est en cours.</translation>
    </message>
    <message>
        <source>Say something first: what follows can be recorded.</source>
        <translation>Dites d’abord quelque chose&#xa0;: la suite pourra être enregistrée.</translation>
    </message>
    <message>
        <source>Several workflows run at once. The demo’s agent still asks before it changes a file.</source>
        <translation>Plusieurs workflows s’exécutent à la fois. L’agent de la démo demande quand même avant de modifier un fichier.</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Tout afficher</translation>
    </message>
    <message>
        <source>Some runs cannot be read and are not exported</source>
        <translation>Certaines exécutions sont illisibles et ne sont pas exportées</translation>
    </message>
    <message>
        <source>That is the limit in automatic mode. This one can wait for its turn.</source>
        <translation>C’est la limite en mode automatique. Celui-ci peut attendre son tour.</translation>
    </message>
    <message>
        <source>The activity is exported</source>
        <translation>L’activité est exportée</translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>La liste est vide.</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>L’exécution a échoué</translation>
    </message>
    <message>
        <source>The template is saved.</source>
        <translation>Le gabarit est enregistré.</translation>
    </message>
    <message>
        <source>This workflow is gone</source>
        <translation>Ce workflow n’existe plus</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>Réessayer maintenant</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Attend votre réponse</translation>
    </message>
    <message>
        <source>Waiting since {time}: {what}</source>
        <translation>En attente depuis {time} — {what}</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Avertissement</translation>
    </message>
    <message>
        <source>What begins now runs without asking. The mode can be set back.</source>
        <translation>Ce qui commence maintenant s’exécute sans rien demander. Le mode peut être rétabli.</translation>
    </message>
    <message>
        <source>{count} requests still wait for you</source>
        <translation>{count}&#xa0;demandes vous attendent</translation>
    </message>
    <message>
        <source>{count} requests wait for you, the first since {time}.</source>
        <translation>{count}&#xa0;demandes vous attendent, la première depuis {time}.</translation>
    </message>
    <message>
        <source>{count} workflows are running.</source>
        <translation>{count} workflows sont en cours.</translation>
    </message>
    <message>
        <source>{end}, then it goes on as if you had approved: {what}</source>
        <translation>{end}, puis la suite se fait comme si vous aviez approuvé&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}, then it goes on without an answer: {what}</source>
        <translation>{end}, puis la suite se fait sans réponse&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}, then it is rejected: {what}</source>
        <translation>{end}, puis la demande est refusée&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}, then the call is approved without you: {what}</source>
        <translation>{end}, puis l’appel est approuvé sans vous&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}, then the call is rejected: {what}</source>
        <translation>{end}, puis l’appel est refusé&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}, then you are asked again: {what}</source>
        <translation>{end}, puis la question vous est posée à nouveau&#xa0;: {what}</translation>
    </message>
    <message>
        <source>{end}: {what}</source>
        <translation>{end}&#xa0;: {what}</translation>
    </message>
</context>
<context>
    <name>TokenBar</name>
    <message>
        <source>, and some that were not counted</source>
        <translation>, et d’autres qui n’ont pas été comptés</translation>
    </message>
    <message>
        <source>Context full</source>
        <translation>Contexte plein</translation>
    </message>
    <message>
        <source>Context {percent}</source>
        <translation>Contexte {percent}</translation>
    </message>
    <message>
        <source>Context {percent}, nearly full</source>
        <translation>Contexte {percent}, presque plein</translation>
    </message>
    <message>
        <source>Context ≈ {percent} of an assumed {room}</source>
        <translation>Contexte ≈&#xa0;{percent} de {room} supposés</translation>
    </message>
    <message>
        <source>Continue from a summary</source>
        <translation>Continuer à partir d’un résumé</translation>
    </message>
    <message>
        <source>Cost unknown</source>
        <translation>Coût inconnu</translation>
    </message>
    <message>
        <source>Estimated cost of the workflow, from the price of the model.</source>
        <translation>Coût estimé du workflow, d’après le prix du modèle.</translation>
    </message>
    <message>
        <source>Estimated cost. Some answers have no known price.</source>
        <translation>Coût estimé. Le prix de certaines réponses n’est pas connu.</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Gratuit</translation>
    </message>
    <message>
        <source>Its oldest messages are no longer sent.</source>
        <translation>Ses messages les plus anciens ne sont plus envoyés.</translation>
    </message>
    <message>
        <source>Last turn: {tokens}.</source>
        <translation>Dernier tour&#xa0;: {tokens}.</translation>
    </message>
    <message>
        <source>More than {cost}</source>
        <translation>Plus de {cost}</translation>
    </message>
    <message>
        <source>No price is known for this model. You can set one in the settings.</source>
        <translation>Le prix de ce modèle n’est pas connu. Vous pouvez l’indiquer dans les réglages.</translation>
    </message>
    <message>
        <source>Speed of the last answer: {speed} tokens a second.</source>
        <translation>Vitesse de la dernière réponse&#xa0;: {speed} jetons par seconde.</translation>
    </message>
    <message>
        <source>The context window of this model is not known, only assumed. You can set it in the settings.</source>
        <translation>La fenêtre de contexte de ce modèle n’est pas connue, seulement supposée. Vous pouvez l’indiquer dans les réglages.</translation>
    </message>
    <message>
        <source>The conversation uses about {tokens} of the {room} tokens that the model’s context has for it.</source>
        <translation>La conversation occupe environ {tokens} des {room} jetons que la fenêtre du modèle lui réserve.</translation>
    </message>
    <message>
        <source>This workflow costs nothing.</source>
        <translation>Il n’y a rien à payer pour ce workflow.</translation>
    </message>
    <message>
        <source>Total {tokens}</source>
        <translation>Total {tokens}</translation>
    </message>
    <message>
        <source>Turn {tokens}</source>
        <translation>Tour {tokens}</translation>
    </message>
    <message>
        <source>Whole workflow: {tokens}.</source>
        <translation>Workflow entier&#xa0;: {tokens}.</translation>
    </message>
    <message>
        <source>the provider does not report token counts</source>
        <translation>le fournisseur n’indique pas le nombre de jetons</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>inconnu</translation>
    </message>
    <message>
        <source>{given} tokens in, of which {cached} from the cache, {made} out</source>
        <translation>{given} jetons en entrée, dont {cached} du cache, {made} en sortie</translation>
    </message>
    <message>
        <source>{given} tokens in, {made} out</source>
        <translation>{given} jetons en entrée, {made} en sortie</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed}&#xa0;jetons/s</translation>
    </message>
    <message>
        <source>{tokens} of them are the system prompt and the tools.</source>
        <translation>Dont {tokens} pour les instructions et les outils.</translation>
    </message>
    <message>
        <source>≈ {cost}</source>
        <translation>≈&#xa0;{cost}</translation>
    </message>
</context>
<context>
    <name>ToolGroup</name>
    <message>
        <source>Hide</source>
        <translation>Masquer</translation>
    </message>
    <message>
        <source>Hide: {words}</source>
        <translation>Masquer&#xa0;: {words}</translation>
    </message>
    <message>
        <source>Of Metier</source>
        <translation>De Metier</translation>
    </message>
    <message>
        <source>Of the server “{server}”</source>
        <translation>Du serveur «&#xa0;{server}&#xa0;»</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Afficher</translation>
    </message>
    <message>
        <source>Show: {words}</source>
        <translation>Afficher&#xa0;: {words}</translation>
    </message>
    <message>
        <source>{count} more: search for their names.</source>
        <translation>{count} autres&#xa0;: cherchez leur nom.</translation>
    </message>
    <message>
        <source>{words}: {count} of {all}</source>
        <translation>{words}&#xa0;: {count} sur {all}</translation>
    </message>
</context>
<context>
    <name>ToolGroupView</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n échec</numerusform>
            <numerusform>%n échecs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool calls</source>
        <translation>
            <numerusform>%n appel d’outil</numerusform>
            <numerusform>%n appels d’outils</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolPicker</name>
    <message>
        <source>All tools, also those to come</source>
        <translation>Tous les outils, aussi ceux à venir</translation>
    </message>
    <message>
        <source>No tool has these words in its name. Other words may find one.</source>
        <translation>Aucun outil n’a ces mots dans son nom. D’autres mots en trouveront peut-être un.</translation>
    </message>
    <message>
        <source>Search tools</source>
        <translation>Rechercher des outils</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>Agents at work</source>
        <translation>Agents au travail</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Répondu</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>A demandé</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>Demande</translation>
    </message>
    <message>
        <source>Began an agent</source>
        <translation>Agent lancé</translation>
    </message>
    <message>
        <source>Calculated</source>
        <translation>Calcul effectué</translation>
    </message>
    <message>
        <source>Calculating</source>
        <translation>Calcul en cours</translation>
    </message>
    <message>
        <source>Cancelled a run</source>
        <translation>Exécution annulée</translation>
    </message>
    <message>
        <source>Cancelling a run</source>
        <translation>Annulation d’une exécution</translation>
    </message>
    <message>
        <source>Changed a template</source>
        <translation>Gabarit modifié</translation>
    </message>
    <message>
        <source>Changing a template</source>
        <translation>Modification d’un gabarit</translation>
    </message>
    <message>
        <source>Delegated</source>
        <translation>Délégué</translation>
    </message>
    <message>
        <source>Delegating</source>
        <translation>Délégation en cours</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>Supprimé</translation>
    </message>
    <message>
        <source>Deleted a template</source>
        <translation>Gabarit supprimé</translation>
    </message>
    <message>
        <source>Deleting</source>
        <translation>Suppression de</translation>
    </message>
    <message>
        <source>Deleting a template</source>
        <translation>Suppression d’un gabarit</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>Modifié</translation>
    </message>
    <message>
        <source>Editing</source>
        <translation>Modification de</translation>
    </message>
    <message>
        <source>Fetched</source>
        <translation>Téléchargé</translation>
    </message>
    <message>
        <source>Fetching</source>
        <translation>Téléchargement de</translation>
    </message>
    <message>
        <source>Listed</source>
        <translation>Listé</translation>
    </message>
    <message>
        <source>Listed runs</source>
        <translation>Exécutions listées</translation>
    </message>
    <message>
        <source>Listed templates</source>
        <translation>Gabarits listés</translation>
    </message>
    <message>
        <source>Listing</source>
        <translation>Lecture de la liste</translation>
    </message>
    <message>
        <source>Listing runs</source>
        <translation>Lecture de la liste des exécutions</translation>
    </message>
    <message>
        <source>Listing templates</source>
        <translation>Lecture de la liste des gabarits</translation>
    </message>
    <message>
        <source>Memory:</source>
        <translation>Mémoire&#xa0;:</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>Déplacé</translation>
    </message>
    <message>
        <source>Moving</source>
        <translation>Déplace</translation>
    </message>
    <message>
        <source>No answer in time</source>
        <translation>Pas de réponse à temps</translation>
    </message>
    <message>
        <source>Picked a file</source>
        <translation>Fichier choisi</translation>
    </message>
    <message>
        <source>Picking a file</source>
        <translation>Choix d’un fichier</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Exécuté</translation>
    </message>
    <message>
        <source>Ran code</source>
        <translation>Code exécuté</translation>
    </message>
    <message>
        <source>Ran tasks side by side</source>
        <translation>Tâches menées en parallèle</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lu</translation>
    </message>
    <message>
        <source>Read a run</source>
        <translation>Exécution lue</translation>
    </message>
    <message>
        <source>Read a template</source>
        <translation>Gabarit lu</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Lecture de</translation>
    </message>
    <message>
        <source>Reading a run</source>
        <translation>Lecture d’une exécution</translation>
    </message>
    <message>
        <source>Reading a template</source>
        <translation>Lecture d’un gabarit</translation>
    </message>
    <message>
        <source>Resumed a run</source>
        <translation>Exécution reprise</translation>
    </message>
    <message>
        <source>Resuming a run</source>
        <translation>Reprise d’une exécution</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Exécution de</translation>
    </message>
    <message>
        <source>Running code</source>
        <translation>Exécution de code</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>Exécution de {tool}</translation>
    </message>
    <message>
        <source>Saved a template</source>
        <translation>Gabarit enregistré</translation>
    </message>
    <message>
        <source>Saving a template</source>
        <translation>Enregistrement d’un gabarit</translation>
    </message>
    <message>
        <source>Searched for</source>
        <translation>Cherché</translation>
    </message>
    <message>
        <source>Searched tools</source>
        <translation>Outils cherchés</translation>
    </message>
    <message>
        <source>Searching for</source>
        <translation>Recherche de</translation>
    </message>
    <message>
        <source>Searching tools</source>
        <translation>Recherche d’outils</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Passé</translation>
    </message>
    <message>
        <source>Started a run</source>
        <translation>Exécution lancée</translation>
    </message>
    <message>
        <source>Starting a run</source>
        <translation>Lancement d’une exécution</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Tâches</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Attente terminée</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En attente</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Écriture de</translation>
    </message>
    <message>
        <source>Wrote</source>
        <translation>Écrit</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>supprimée</translation>
    </message>
    <message>
        <source>done</source>
        <translation>terminée</translation>
    </message>
    <message>
        <source>in progress</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>to do</source>
        <translation>à faire</translation>
    </message>
    <message>
        <source>waiting for another task</source>
        <translation>en attente d’une autre tâche</translation>
    </message>
    <message>
        <source>{task}: {state}</source>
        <translation>{task}&#xa0;: {state}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Assistant</source>
        <translation>Assistant</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Conversation</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Remarque</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>interrompu</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>en cours d’écriture</translation>
    </message>
</context>
<context>
    <name>Transfer</name>
    <message>
        <source>Agents</source>
        <translation>Agents</translation>
    </message>
    <message>
        <source>General memories</source>
        <translation>Mémoires générales</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>Serveurs MCP</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>Gabarits</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Workflows</translation>
    </message>
    <message>
        <source>{count} already here</source>
        <translation>déjà ici&#xa0;: {count}</translation>
    </message>
    <message>
        <source>{count} as a copy</source>
        <translation>en copie&#xa0;: {count}</translation>
    </message>
    <message>
        <source>{count} at work, left as they are</source>
        <translation>en cours, laissés tels quels&#xa0;: {count}</translation>
    </message>
    <message>
        <source>{count} left as they are</source>
        <translation>laissés tels quels&#xa0;: {count}</translation>
    </message>
    <message>
        <source>{count} new</source>
        <translation>nouveaux&#xa0;: {count}</translation>
    </message>
    <message>
        <source>{count} replaced</source>
        <translation>remplacés&#xa0;: {count}</translation>
    </message>
</context>
<context>
    <name>TransferController</name>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Export en cours</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importer</translation>
    </message>
    <message>
        <source>Metier export</source>
        <translation>Export de Metier</translation>
    </message>
    <message>
        <source>Metier export, as JSON</source>
        <translation>Export de Metier, en JSON</translation>
    </message>
</context>
<context>
    <name>TransferSection</name>
    <message>
        <source>Export and import</source>
        <translation>Exporter et importer</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importer…</translation>
    </message>
    <message>
        <source>Take workflows, templates, agents and settings along in a file, or bring them in from such a file. Keys and other secrets are never exported.</source>
        <translation>Emportez workflows, gabarits, agents et réglages dans un fichier, ou importez-les depuis un tel fichier. Les clés et autres secrets ne sont jamais exportés.</translation>
    </message>
</context>
<context>
    <name>TrayIcon</name>
    <message numerus="yes">
        <source>%n workflow(s) at work</source>
        <translation>
            <numerusform>%n workflow en cours</numerusform>
            <numerusform>%n workflows en cours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) need you</source>
        <translation>
            <numerusform>%n workflow vous attend</numerusform>
            <numerusform>%n workflows vous attendent</numerusform>
        </translation>
    </message>
    <message>
        <source>Open Metier</source>
        <translation>Ouvrir Metier</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Changes apply at once.</source>
        <translation>Les changements s’appliquent aussitôt.</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rétablir</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Undone. {setting}: {value}</source>
        <translation>Annulé. {setting}&#xa0;: {value}</translation>
    </message>
    <message>
        <source>{setting}: {value}</source>
        <translation>{setting}&#xa0;: {value}</translation>
    </message>
</context>
<context>
    <name>ValidationPage</name>
    <message>
        <source>By category: at first, sub-agents, MCP servers, files and the database wait for your approval.</source>
        <translation>Par catégorie&#xa0;: au départ, sous-agents, serveurs MCP, fichiers et base de données attendent votre approbation.</translation>
    </message>
    <message>
        <source>Every tool call waits for your approval.</source>
        <translation>Chaque appel d’outil attend votre approbation.</translation>
    </message>
    <message>
        <source>In selective mode</source>
        <translation>En mode sélectif</translation>
    </message>
    <message>
        <source>Operations run without asking you.</source>
        <translation>Les opérations s’exécutent sans vous demander.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Demandes</translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>Risque</translation>
    </message>
    <message>
        <source>This mode requires human validation. Multi-workflow is not available - only one workflow can run at a time.</source>
        <translation>Ce mode nécessite une validation humaine. Le multi-workflow n’est pas disponible - un seul workflow peut s’exécuter à la fois.</translation>
    </message>
    <message>
        <source>What was decided</source>
        <translation>Décisions prises</translation>
    </message>
</context>
<context>
    <name>ValueSection</name>
    <message>
        <source>Copy: {title}</source>
        <translation>Copier&#xa0;: {title}</translation>
    </message>
</context>
<context>
    <name>ViewBanner</name>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Preview: Enter opens it, Esc goes back.</source>
        <translation>Simple aperçu&#xa0;: Entrée l’ouvre, Échap revient en arrière.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restaurer</translation>
    </message>
    <message>
        <source>This workflow is archived. A new message restores it.</source>
        <translation>Ce workflow est archivé. Un nouveau message le restaure.</translation>
    </message>
</context>
<context>
    <name>Waiting</name>
    <message>
        <source>A call of {server} waits for you in {workflows}. The request stays open, but without the server the call fails once you approve it, and its agent is told so.</source>
        <translation>Un appel de {server} vous attend dans {workflows}. La demande reste ouverte, mais sans le serveur l’appel échoue dès que vous l’approuvez, et l’agent en est informé.</translation>
    </message>
    <message>
        <source>An approval waits for you in {workflows}. It stays open in every mode: another one holds for what begins after it is chosen.</source>
        <translation>Une approbation vous attend dans {workflows}. Elle reste ouverte dans tous les modes&#xa0;: un autre ne vaut que pour ce qui commence après son choix.</translation>
    </message>
    <message>
        <source>Something waits for you in {workflows}. Nothing of it is lost: it stays open and goes on with the agent as it was at the beginning, whatever is changed here.</source>
        <translation>Une demande vous attend dans {workflows}. Rien n’en est perdu&#xa0;: elle reste ouverte et continue avec l’agent tel qu’il était au début, quoi que vous changiez ici.</translation>
    </message>
    <message>
        <source>Something waits for you in {workflows}. Nothing of it is lost: it stays open and goes on with the model that it began with, whatever is changed here. It only fails without the key that it needs.</source>
        <translation>Une demande vous attend dans {workflows}. Rien n’en est perdu&#xa0;: elle reste ouverte et continue avec le modèle du début, quoi que vous changiez ici. Elle n’échoue que sans la clé qu’il lui faut.</translation>
    </message>
    <message>
        <source>{server} has asked you something in {workflows}. Without the server that call ends with an error, and its question is closed unanswered.</source>
        <translation>{server} vous a posé une question dans {workflows}. Sans le serveur, cet appel se termine par une erreur et la question est fermée sans réponse.</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation>«&#xa0;{name}&#xa0;»</translation>
    </message>
</context>
<context>
    <name>_Canvas</name>
    <message>
        <source>This picture cannot be shown</source>
        <translation>Cette image ne peut pas être affichée</translation>
    </message>
</context>
</TS>
