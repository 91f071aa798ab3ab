-- Beyond the 7 days that anybody asks for.
delete from workflow_firings where hour < now() - interval '8 days'
