<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AgentsPage</name>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{agent} is removed; %n workflow(s) go on with the default agent.</source>
        <translation>
            <numerusform>{agent} is removed; %n workflow goes on with the default agent.</numerusform>
            <numerusform>{agent} is removed; %n workflows go on with the default agent.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttachmentController</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AuditCard</name>
    <message numerus="yes">
        <source>Written: %n entries.</source>
        <translation>
            <numerusform>Written: %n entry.</numerusform>
            <numerusform>Written: %n entries.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BackupSection</name>
    <message numerus="yes">
        <source>%n place(s) cannot be read. The first: {first}</source>
        <translation>
            <numerusform>%n place cannot be read: {first}</numerusform>
            <numerusform>%n places cannot be read. The first: {first}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s)</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CallValues</name>
    <message numerus="yes">
        <source>Show %n secret(s)</source>
        <translation>
            <numerusform>Show %n secret</numerusform>
            <numerusform>Show %n secrets</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CaptionView</name>
    <message numerus="yes">
        <source>%n earlier calls</source>
        <translation>
            <numerusform>%n earlier call</numerusform>
            <numerusform>%n earlier calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more rows; copying includes them</source>
        <translation>
            <numerusform>%n more row; copying includes it</numerusform>
            <numerusform>%n more rows; copying includes them</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps were not run</source>
        <translation>
            <numerusform>%n step was not run</numerusform>
            <numerusform>%n steps were not run</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Table, %n rows</source>
        <translation>
            <numerusform>Table, %n row</numerusform>
            <numerusform>Table, %n rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CardHeader</name>
    <message numerus="yes">
        <source>Said %n times</source>
        <translation>
            <numerusform>Said once</numerusform>
            <numerusform>Said %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChangesView</name>
    <message numerus="yes">
        <source>%n files changed</source>
        <translation>
            <numerusform>%n file changed</numerusform>
            <numerusform>%n files changed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message numerus="yes">
        <source>%n unchanged line(s)</source>
        <translation>
            <numerusform>%n unchanged line</numerusform>
            <numerusform>%n unchanged lines</numerusform>
        </translation>
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
</context>
<context>
    <name>ImportDialog</name>
    <message numerus="yes">
        <source>%n items are here already, and different:</source>
        <translation>
            <numerusform>%n item is here already, and different:</numerusform>
            <numerusform>%n items are here already, and different:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs had not ended. They come in as cancelled.</source>
        <translation>
            <numerusform>%n run had not ended. It comes in as cancelled.</numerusform>
            <numerusform>%n runs had not ended. They come in as cancelled.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>InstalledImport</name>
    <message numerus="yes">
        <source>%n server(s)</source>
        <translation>
            <numerusform>%n server</numerusform>
            <numerusform>%n servers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LatestButton</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n new</numerusform>
            <numerusform>%n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LocalServersCard</name>
    <message numerus="yes">
        <source>{server}: %n model(s)</source>
        <translation>
            <numerusform>{server}: %n model</numerusform>
            <numerusform>{server}: %n models</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryDeletion</name>
    <message numerus="yes">
        <source>Delete all {count} memories?</source>
        <translation>
            <numerusform>Delete the only memory?</numerusform>
            <numerusform>Delete all {count} memories?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryPage</name>
    <message numerus="yes">
        <source>{count} memories are deleted.</source>
        <translation>
            <numerusform>{count} memory is deleted.</numerusform>
            <numerusform>{count} memories are deleted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} memories, about {size}</source>
        <translation>
            <numerusform>{count} memory, about {size}</numerusform>
            <numerusform>{count} memories, about {size}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelForm</name>
    <message numerus="yes">
        <source>It answers, and lists %n model(s).</source>
        <translation>
            <numerusform>It answers, and lists %n model.</numerusform>
            <numerusform>It answers, and lists %n models.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NotificationCounts</name>
    <message numerus="yes">
        <source>%n workflow(s) failed</source>
        <translation>
            <numerusform>%n workflow failed</numerusform>
            <numerusform>%n workflows failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) finished</source>
        <translation>
            <numerusform>%n workflow finished</numerusform>
            <numerusform>%n workflows finished</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) need you</source>
        <translation>
            <numerusform>%n workflow needs you</numerusform>
            <numerusform>%n workflows need you</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QueueStrip</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) wait(s) for the end of this turn</source>
        <translation>
            <numerusform>%n message waits for the end of this turn</numerusform>
            <numerusform>%n messages wait for the end of this turn</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QuitGuard</name>
    <message numerus="yes">
        <source>%n wait(s) for you.</source>
        <translation>
            <numerusform>%n waits for you.</numerusform>
            <numerusform>%n wait for you.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) are at work.</source>
        <translation>
            <numerusform>%n workflow is at work.</numerusform>
            <numerusform>%n workflows are at work.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordingBanner</name>
    <message numerus="yes">
        <source>Recording: %n steps so far.</source>
        <translation>
            <numerusform>Recording: %n step so far.</numerusform>
            <numerusform>Recording: %n steps so far.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResultStrings</name>
    <message numerus="yes">
        <source>%n hits</source>
        <translation>
            <numerusform>%n hit</numerusform>
            <numerusform>%n hits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more in this workflow</source>
        <translation>
            <numerusform>%n more in this workflow</numerusform>
            <numerusform>%n more in this workflow</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReviewDialog</name>
    <message numerus="yes">
        <source>%n steps become a template that you can run again with other values.</source>
        <translation>
            <numerusform>%n step becomes a template that you can run again with other values.</numerusform>
            <numerusform>%n steps become a template that you can run again with other values.</numerusform>
        </translation>
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
    <message numerus="yes">
        <source>More than %n workflows</source>
        <translation>
            <numerusform>More than %n workflow</numerusform>
            <numerusform>More than %n workflows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerActions</name>
    <message numerus="yes">
        <source>{server} answers, and offers %n tool(s).</source>
        <translation>
            <numerusform>{server} answers, and offers %n tool.</numerusform>
            <numerusform>{server} answers, and offers %n tools.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerPreviewList</name>
    <message numerus="yes">
        <source>%n server(s) were understood.</source>
        <translation>
            <numerusform>%n server was understood.</numerusform>
            <numerusform>%n servers were understood.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Add %n server(s)</source>
        <translation>
            <numerusform>Add %n server</numerusform>
            <numerusform>Add %n servers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerRow</name>
    <message numerus="yes">
        <source>%n call(s)</source>
        <translation>
            <numerusform>%n call</numerusform>
            <numerusform>%n calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>%n left out</numerusform>
            <numerusform>%n left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerToolsPanel</name>
    <message numerus="yes">
        <source>%n chosen tool(s)</source>
        <translation>
            <numerusform>%n chosen tool</numerusform>
            <numerusform>%n chosen tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message numerus="yes">
        <source>%n server(s) are added. Each waits for you to allow it.</source>
        <translation>
            <numerusform>%n server is added. It waits for you to allow it.</numerusform>
            <numerusform>%n servers are added. Each waits for you to allow it.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SidebarModel</name>
    <message numerus="yes">
        <source>%n waiting for you</source>
        <translation>
            <numerusform>%n waiting for you</numerusform>
            <numerusform>%n waiting for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflows</source>
        <translation>
            <numerusform>%n workflow</numerusform>
            <numerusform>%n workflows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%n at work: {names}</source>
        <translation>
            <numerusform>%n at work: {names}</numerusform>
            <numerusform>%n at work: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n need(s) you</source>
        <translation>
            <numerusform>%n needs you</numerusform>
            <numerusform>%n need you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <translation>
            <numerusform>%n queued</numerusform>
            <numerusform>%n queued</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StepView</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TimeLeft</name>
    <message numerus="yes">
        <source>%n day(s)</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s)</source>
        <translation>
            <numerusform>%n hour</numerusform>
            <numerusform>%n hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n minute</numerusform>
            <numerusform>%n minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n second(s)</source>
        <translation>
            <numerusform>%n second</numerusform>
            <numerusform>%n seconds</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ToolGroupView</name>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool calls</source>
        <translation>
            <numerusform>%n tool call</numerusform>
            <numerusform>%n tool calls</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrayIcon</name>
    <message numerus="yes">
        <source>%n workflow(s) at work</source>
        <translation>
            <numerusform>%n workflow at work</numerusform>
            <numerusform>%n workflows at work</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n workflow(s) need you</source>
        <translation>
            <numerusform>%n workflow needs you</numerusform>
            <numerusform>%n workflows need you</numerusform>
        </translation>
    </message>
</context>
</TS>
